/** PostgreSQL cuts the same text out of a canonical text as this code does. */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Ground } from '../../../../../test/world.ts'
import { chunk } from '../chunk.ts'
import { default_chunking } from '../chunking.ts'
import { anyText, canonicalOf } from './texts.ts'

let ground: Ground
let database: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase()
  database = new pg.Client({ connectionString: ground.url })
  await database.connect()
})
afterAll(async () => {
  await database.end()
  await ground.drop()
})

const chunking = { ...default_chunking, target_tokens: 64, max_tokens: 96, min_tokens: 16 }

test('a range of code points is the same in PostgreSQL', async () => {
  const texts = fc.sample(anyText, { numRuns: 100, seed: 7 }).map(canonicalOf)
  const chunks = texts.flatMap(canonical =>
    chunk(canonical, { language: 'en', chunking }).map(one => ({ ...one, canonical })),
  )
  expect(chunks.length).toBeGreaterThan(100)
  const { rows } = await database.query<{ slice: string; is_normal: boolean }>(
    `select substring(whole from first + 1 for last - first) as slice,
       substring(whole from first + 1 for last - first) is nfc normalized as is_normal
     from unnest($1::text[], $2::int[], $3::int[]) with ordinality as c(whole, first, last, n)
     order by n`,
    [
      chunks.map(({ canonical }) => canonical.text),
      chunks.map(({ char_start }) => char_start),
      chunks.map(({ char_end }) => char_end),
    ],
  )
  expect(rows.map(({ slice }) => slice)).toEqual(chunks.map(({ text }) => text))
})
