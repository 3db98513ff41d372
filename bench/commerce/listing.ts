/** A page of 20 products over HTTP, beside its statement in pgbench. */
import { listStatement } from '../../src/surfaces/commerce/catalog/list-products.ts'
import { compile } from '../../src/kernel/database/sql.ts'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import { tenant_id, type Ground } from './ground.ts'

const connections = 32

export async function listing({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const { port, pid } = ground.program
  const requests = Array.from({ length: 50 }, (_, n) =>
    requestText({ path: `/v1/products?category=things/${n}` }),
  )
  const page = { tenant_id, state: 'active', currency: 'EUR', q: undefined }
  const place = { rank: null, published_us: null, sort_minor: null, id: null }
  const { text, values } = compile(listStatement({ ...page, category: 'things/CAT' }, place, 21))
  const statement = text
    .replaceAll(/\$(\d+)/g, (_all, n: string) => {
      const value = values[Number(n) - 1]
      if (typeof value === 'number') return String(value)
      return `('${String(value).replace('CAT', `' || :cat || '`)}')`
    })
    .replaceAll(/\s+/g, ' ')
  const [alone, ours] = await compete(
    [
      {
        name: 'its statement (pgbench)',
        run: () =>
          pgbench(
            {
              program,
              url: ground.database_url,
              script: `\\set cat random(0, 49)\n${statement};\n`,
              clients: connections,
            },
            options,
          ),
      },
      { name: 'product list', run: () => load({ port, pid, connections, requests }, options) },
    ],
    options.rounds,
  )
  if (!alone || !ours) throw new Error('not everybody was measured')
  return standingsOf(
    'Twenty products of a category with prices and stock, 32 connections, 10,000 products',
    [alone, ours],
    [ratioVerdict(ours, alone, 0.5)],
    ['Without a credential, in the shop of the host. pgbench runs the list statement only.'],
  )
}
