create schema work;
