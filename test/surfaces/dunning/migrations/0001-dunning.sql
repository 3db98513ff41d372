create schema dunning;
