# For CMAKE_PROJECT_INCLUDE: foreign libraries are linked as static ones where they are there (scripts/build_wheel.sh).
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
