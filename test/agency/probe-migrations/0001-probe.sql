create schema probe;
