/** Vendure in production mode with its dummy payment: `node vendure-process.ts <folder> <database> <port>`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

type Core = {
  readonly bootstrap: (config: object) => Promise<unknown>
  readonly dummyPaymentHandler: object
  readonly DefaultLogger: new (options: object) => object
  readonly LogLevel: Readonly<Record<string, number>>
}

const [, , folder = '', database = '', port = ''] = process.argv
const core = createRequire(join(folder, 'package.json'))('@vendure/core') as Core

await core.bootstrap({
  apiOptions: { port: Number(port), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: 'superadmin', password: 'only for a benchmark' },
    requireVerification: false,
  },
  // The schema is made by the first start, which is not measured.
  dbConnectionOptions: { type: 'postgres', url: database, synchronize: true, poolSize: 20 },
  paymentOptions: { paymentMethodHandlers: [core.dummyPaymentHandler] },
  logger: new core.DefaultLogger({ level: core.LogLevel['Error'] ?? 0 }),
  plugins: [],
})
process.stdout.write('ready\n')
