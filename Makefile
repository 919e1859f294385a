# What people type; CMake (CMakePresets.json) and scripts/ do the work. `make help` lists the targets.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
VENV := build/venv
PIP_INSTALL = $(VENV)/bin/pip install --quiet --disable-pip-version-check --only-binary :all:
# Machine code for which GPUs: compute capabilities as in "80;90", native (the GPUs here), usual or all. A build folder
# keeps its choice; a new one takes native where there is a GPU, otherwise usual, and for `make demo` and `make test` one,
# until the next make.
CUDA_ARCHITECTURES ?= $(shell scripts/cuda_architectures.sh $(WITHOUT_GPU))
WITHOUT_GPU := usual
CONFIGURE = cmake --preset release --log-level=WARNING $(CUDA_ARCHITECTURES:%=-DTAMIS_CUDA_ARCHITECTURES="%")
BUILD = cmake --build build --parallel $(JOBS)
# Before what needs the Python module.
CONFIGURE_PYTHON = cmake -B build --log-level=WARNING -DTAMIS_PYTHON=ON \
  -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/bin/python

# When what is packed was made: of the last commit, so that two builds of it have the same bytes.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)

.PHONY: all build configure cuda packages demo python docs wheel wheel-test deb release tests test check test-without-cuda test-static test-extra gpu-test crash-test gpu-fuzz \
  gpu-sanitize sanitize imagej napari-test fuzz odr benchmarks papers bench bundle install tidy format clean help
.NOTPARALLEL:

all: build

configure: packages
	@$(CONFIGURE) >/dev/null

build: configure  ## install what is missing, build build/bin/tamis (the default)
	@$(BUILD)

cuda: packages  ## the same with the GPU part; fetches the CUDA compiler into build/ where there is none
	@scripts/fetch_cuda.sh
	@$(CONFIGURE) -DTAMIS_CUDA=ON >/dev/null
	@$(BUILD)

packages:
	@scripts/install_packages.sh

demo: WITHOUT_GPU := one
demo: build $(VENV)/bin/pip  ## granulometry of a real scan, results in build/demo
	@scripts/demo.sh

python: configure $(VENV)/requirements.txt  ## build/python, a folder with the Python package for PYTHONPATH
	@$(CONFIGURE_PYTHON) >/dev/null
	@$(BUILD) --target tamis_python

docs: configure $(VENV)/requirements.txt  ## build/docs/html, the site; begin at index.html
	@scripts/install_packages.sh doxygen
	@$(CONFIGURE_PYTHON) >/dev/null
	@$(BUILD) --target all tamis_python
	@PYTHONPATH=build/python $(VENV)/bin/python docs/site/build.py build/docs/html
	@echo build/docs/html/index.html

wheel: packages  ## build/wheel, the Python package with its libraries as a wheel for any Linux; TAMIS_CUDA=OFF: without the GPU
	@scripts/build_wheel.sh "$(CUDA_ARCHITECTURES)"

wheel-test: $(VENV)/requirements.txt  ## the wheels of make wheel: what is in them, in empty environments and in a Debian 11
	@scripts/install_packages.sh debootstrap
	@$(VENV)/bin/python -m pytest -q -p no:cacheprovider tests/install/test_wheel.py

release: deb  ## build/release: packages and source, with checksums, changes and what is in them
	@scripts/release.sh

deb: build  ## build/*.deb, for this release of Debian or Ubuntu
	@scripts/install_packages.sh dpkg-dev
	@cd build && rm -f tamis*.deb && SOURCE_DATE_EPOCH=$(SOURCE_DATE_EPOCH) cpack -G DEB >deb.log 2>&1 || { cat deb.log >&2; exit 1; }
	@ls build/*.deb

test: WITHOUT_GPU := one
test: tests  ## every test but those of test-extra; real data where TAMIS_DATA says
	@$(VENV)/bin/python tests/run.py --jobs $(JOBS) build

check: WITHOUT_GPU := one
check: tests  ## the same tests with fewer cases each, in a few minutes
	@TAMIS_TEST_SCALE=small RC_PARAMS=max_success=25 $(VENV)/bin/python tests/run.py --jobs $(JOBS) build

test-without-cuda: WITHOUT_GPU := one
test-without-cuda: tests  ## the build folder once more without the GPU part: program, libraries, installation; after make test
	@$(CONFIGURE_PYTHON) -DTAMIS_CUDA=OFF >/dev/null
	@$(BUILD) --target all tamis_python
	@$(VENV)/bin/python tests/run.py --folders install command --add --jobs $(JOBS) build; \
	  status=$$?; $(CONFIGURE_PYTHON) -DTAMIS_CUDA=AUTO >/dev/null; exit $$status

test-static: tests  ## the build folder once more with static libraries, and programs that link them; after make test
	@$(CONFIGURE_PYTHON) -DBUILD_SHARED_LIBS=OFF >/dev/null
	@$(BUILD) --target all
	@TAMIS_BUILD=$(CURDIR)/build $(VENV)/bin/python -m pytest -q tests/install/test_static.py; \
	  status=$$?; $(CONFIGURE_PYTHON) -DBUILD_SHARED_LIBS=ON >/dev/null; exit $$status

test-extra: tests  ## all cases of what make test takes a part of, what takes long, and fuzz
	@$(VENV)/bin/python tests/run.py --extra --jobs $(JOBS) build
	@$(MAKE) --no-print-directory fuzz

gpu-test: tests  ## the tests that need a GPU
	@$(VENV)/bin/python tests/run.py --gpu build

tests: configure $(VENV)/requirements.txt
	@scripts/install_packages.sh doxygen
	@$(CONFIGURE_PYTHON) >/dev/null
	@$(BUILD) --target all tamis_python tests

benchmarks: configure
	@$(BUILD) --target all benchmarks

crash-test: build $(VENV)/requirements.txt  ## a fault at every call that writes, for every format; minutes
	@cmake --install build --prefix build/test-prefix >/dev/null
	@$(VENV)/bin/python tests/crash/crash.py build/test-prefix/bin/tamis

gpu-fuzz: configure  ## random calls on the GPU against the CPU, for SECONDS (60)
	@$(BUILD) --target gpu_fuzz
	@build/bin/gpu_fuzz --seconds $(or $(SECONDS),60) $(if $(SEED),--seed $(SEED))

gpu-sanitize: configure  ## compute-sanitizer on a command of every family of kernels
	@$(BUILD) --target tamis_cli gpu_fuzz
	@scripts/gpu_sanitize.sh build

sanitize: packages  ## the C++ tests under address, undefined-behaviour and thread sanitizers
	@for preset in asan-ubsan tsan; do \
	  cmake --preset $$preset --log-level=WARNING >/dev/null && \
	  cmake --build --preset $$preset --parallel $(JOBS) && \
	  TAMIS_TEST_SCALE=small RC_PARAMS=max_success=25 \
	  TSAN_OPTIONS=suppressions=$(CURDIR)/tests/thread_sanitizer.txt tests/run.py --programs-only --seconds 3600 build-$${preset%-*} || exit 1; \
	done

imagej: build  ## build/imagej/tamis_.jar, the plugin of ImageJ and Fiji
	@scripts/install_packages.sh openjdk-17-jdk-headless imagej libjna-java
	@$(BUILD) --target tamis_imagej
	@bindings/imagej/build.sh build

napari-test: python  ## the plugin of napari in windows that nobody sees
	@scripts/install_packages.sh xvfb libgl1 libegl1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0
	@$(MAKE) --no-print-directory build/napari-venv/requirements.txt
	@PYTHONPATH=build/python build/napari-venv/bin/python -m pytest -q -p no:cacheprovider -W ignore tests/napari

# In an environment of its own, as napari brings some eighty packages.
build/napari-venv/requirements.txt: tests/napari/requirements.txt
	@python3 -m venv build/napari-venv
	@build/napari-venv/bin/pip install --quiet --disable-pip-version-check --only-binary :all: -r $<
	@cp $< $@

fuzz: configure  ## every reader and parser against damaged input, SECONDS (60) for each, with clang; JOBS at a time
	@scripts/install_packages.sh clang libclang-rt-dev llvm
	@$(BUILD) --target tamis_core
	@cmake --preset fuzz --log-level=WARNING >/dev/null
	@cmake --build build-fuzz --parallel $(JOBS) --target fuzzers
	@fuzz/run.py build-fuzz --seconds $(or $(SECONDS),60) --jobs $(JOBS)

odr: packages  ## one name for two things in the whole program: link-time optimisation says so
	@cmake --preset odr --log-level=WARNING >/dev/null
	@cmake --build build-odr --parallel $(JOBS) --target tamis_cli

bench: benchmarks $(VENV)/requirements.txt  ## the benchmarks, with the peers that are installed
	@$(VENV)/bin/python bench/granulometry/run.py

papers: configure  ## build/bin/tamis-papers: the algorithms of four papers as they describe them, and their studies
	@$(BUILD) --target papers

bundle: benchmarks papers  ## build/bundle: program, tests, benchmarks, libraries, for a machine with only a driver
	@$(BUILD) --target tests
	@rm -rf build/bundle
	@cmake --install build --component bundle --prefix build/bundle --strip >/dev/null
	@du -sh build/bundle

install: build  ## to PREFIX (/usr/local)
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

tidy: packages  ## clang-tidy over the sources, or FILES, a regular expression; an hour and more
	@scripts/install_packages.sh clang-tidy
	@cmake --preset tidy --log-level=WARNING >/dev/null
	@run-clang-tidy -quiet -p build-tidy -j $(JOBS) '$(CURDIR)/$(or $(FILES),(src|bindings)/.*\.cpp$$)'

format:  ## clang-format over the sources
	@git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh' | xargs clang-format -i

clean:  ## remove everything that was built
	rm -rf build build-debug build-asan build-tsan build-fuzz build-odr build-tidy

help:
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/\1\t\2/p' Makefile | expand -t 14

# The virtual environment, and the requirements that are in it.
$(VENV)/bin/pip:
	@python3 -m venv $(VENV)

REQUIREMENTS := tests/requirements.txt docs/site/requirements.txt
$(VENV)/requirements.txt: $(REQUIREMENTS) tests/docs/peers.txt $(VENV)/bin/pip
	@$(PIP_INSTALL) $(REQUIREMENTS:%=-r %)
	@$(PIP_INSTALL) --no-deps -r tests/docs/peers.txt
	@cat $(REQUIREMENTS) >$@
