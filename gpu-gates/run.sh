#!/usr/bin/env bash
# Byte gates on real devices: from the unpacked tarball alone, on a machine with Python and torch.
#   gpu-gates/run.sh [--device cuda|cpu] [--only NAME,...] [--log FILE]
# Without an NVIDIA GPU, --device cpu runs the same gates over shared memory and the copier host-copy.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
exec "${PYTHON:-python3}" "$here/gates.py" "$@"
