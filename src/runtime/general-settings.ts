/** Settings that belong to no surface, and their defaults. */
const values: Readonly<Record<string, readonly string[]>> = {
  PROFILE: ['development', 'production'],
  ROLES: ['api', 'worker', 'api,worker'],
  LOG_LEVEL: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
}

const secrets = ['DATABASE_URL', 'ADMIN_PASSWORD']

export const general = [
  ['PROFILE', 'development', 'production has no sandbox and no /dev, and requires own keys'],
  ['HOST', '127.0.0.1', 'The address that it listens on'],
  ['PORT', '8080', 'The port that it listens on'],
  ['PUBLIC_URL', 'http://HOST:PORT', 'Its URL for the outside; cookies are Secure if it is https'],
  [
    'DATABASE_URL',
    'embedded',
    'A PostgreSQL 15 or newer, or the word embedded for one in DATA_DIR/postgres',
  ],
  ['DATA_DIR', './data', 'The folder of the embedded database, of objects and of keys'],
  ['ROLES', 'api,worker', 'The work of this process: requests, background work, or both'],
  ['PROCESSES', '1', 'Processes that share the port, or auto: one a processor'],
  [
    'WORKER_PROCESSES',
    '(1 beside several)',
    'Processes for background work beside them; with 0 each process does both',
  ],
  ['LOG_LEVEL', 'info', 'The least serious lines that are written'],
  ['ADMIN_EMAIL', '(none)', 'The first administrator, who is made at the first start'],
  ['ADMIN_PASSWORD', '(none)', 'The password of the first administrator'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', '(none)', 'Where traces are sent to'],
].map(([variable = '', value = '', says = '']) => ({
  variable,
  default: value,
  says,
  values: values[variable] ?? null,
  secret: secrets.includes(variable),
}))
