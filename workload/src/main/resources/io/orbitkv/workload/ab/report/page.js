'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const colour = name =>
      getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
  const short = value => {
    if (value === null || value === undefined) return '';
    const size = Math.abs(value);
    const units = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']];
    for (const [of, unit] of units) {
      if (size >= of) return (value / (unit === 'k' ? 1e3 : of)).toPrecision(4) + ' ' + unit;
    }
    return value === 0 ? '0' : String(Number(value.toPrecision(4)));
  };
  let drawn = [];

  const draw = () => {
    drawn.forEach(chart => chart.destroy());
    drawn = data.charts.map(chart => {
      const place = document.getElementById(chart.id);
      const axis = {
        stroke: colour('dim'),
        grid: {stroke: colour('line'), width: 1},
        ticks: {stroke: colour('line'), width: 1},
      };
      const series = (name, key, hollow) => ({
        label: name,
        stroke: colour(key),
        width: data.lines && !hollow ? 2 : 0,
        spanGaps: true,
        paths: data.lines && !hollow ? undefined : () => null,
        points: {
          show: true,
          size: 9,
          stroke: colour(key),
          fill: hollow ? colour('ground') : colour(key),
        },
        value: (_, value) => short(value),
      });
      return new uPlot({
        width: place.clientWidth,
        height: 220,
        scales: {x: {time: false}},
        axes: [
          {...axis, label: data.xLabel, labelSize: 18, size: 34},
          {...axis, size: 74, values: (_, ticks) => ticks.map(short)},
        ],
        series: [
          {label: data.xLabel},
          series('A', 'a', false),
          series('B', 'b', false),
          ...(data.uncounted ? [series('does not count', 'dim', true)] : []),
        ],
      }, [data.x, chart.a, chart.b, ...(data.uncounted ? [chart.uncounted] : [])], place);
    });
    const root = document.documentElement.dataset;
    root.charts = String(drawn.length);
    root.scheme = dark.matches ? 'dark' : 'light';
    root.ground = getComputedStyle(document.body).backgroundColor;
    root.text = getComputedStyle(document.body).color;
  };

  draw();
  dark.addEventListener('change', draw);
  window.addEventListener('resize', () => drawn.forEach((chart, index) => chart.setSize({
    width: document.getElementById(data.charts[index].id).clientWidth,
    height: 220,
  })));
})();
