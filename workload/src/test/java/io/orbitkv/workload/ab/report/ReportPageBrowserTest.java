package io.orbitkv.workload.ab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Opens the page in a real browser. Skipped, by name, where there is none; the system property
 * {@code orbitkv.pictures} names a folder that then gets a picture of each page in each scheme.
 */
class ReportPageBrowserTest {
  /** WCAG AA for text of ordinary size. */
  private static final double LEAST_CONTRAST = 4.5;

  private static final Pattern RGB = Pattern.compile("rgb\\((\\d+), (\\d+), (\\d+)\\)");

  @TempDir Path folder;
  private Optional<Browser> found = Optional.empty();

  @BeforeEach
  void findBrowser() {
    found = Browser.find(folder);
    assumeTrue(found.isPresent(), "no browser: install chromium to check the page in one");
  }

  @Test
  void livePage_inLightAndDark_drawsItsChartsAndIsReadable() throws Exception {
    check("live", ReportPage.of(SampleReports.live()), 2);
  }

  @Test
  void simulatedPage_inLightAndDark_drawsItsChartsAndIsReadable() throws Exception {
    check("simulated", ReportPage.of(SampleReports.simulated()), 3);
  }

  private void check(String name, String text, int leastCharts)
      throws IOException, InterruptedException {
    Browser browser = found.orElseThrow();
    Path page = folder.resolve(name + ".html");
    Files.writeString(page, text);
    for (boolean dark : new boolean[] {false, true}) {
      String document = browser.document(page, dark);
      assertThat(attribute(document, "data-scheme")).isEqualTo(dark ? "dark" : "light");
      assertThat(Integer.parseInt(attribute(document, "data-charts")))
          .isGreaterThanOrEqualTo(leastCharts);
      assertThat(document).contains("<canvas").contains("class=\"whisker");
      double ground = luminance(attribute(document, "data-ground"));
      double ink = luminance(attribute(document, "data-text"));
      assertThat(dark).isEqualTo(ground < ink);
      assertThat((Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05))
          .isGreaterThan(LEAST_CONTRAST);
      String pictures = System.getProperty("orbitkv.pictures", "");
      if (!pictures.isEmpty()) {
        browser.picture(page, dark, Path.of(pictures, name + (dark ? "-dark" : "-light") + ".png"));
      }
    }
  }

  private static String attribute(String document, String name) {
    Matcher matcher = Pattern.compile(name + "=\"([^\"]*)\"").matcher(document);
    assertThat(matcher.find()).as("attribute %s, which the page's script sets", name).isTrue();
    return matcher.group(1);
  }

  /** Relative luminance as WCAG defines it. */
  private static double luminance(String colour) {
    Matcher matcher = RGB.matcher(colour);
    assertThat(matcher.matches()).as(colour).isTrue();
    double[] weights = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      double value = Integer.parseInt(matcher.group(i + 1)) / 255.0;
      sum +=
          weights[i] * (value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4));
    }
    return sum;
  }
}
