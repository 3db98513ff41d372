/** Temporary. */
import pg from 'pg'
import { test } from 'vitest'
import { writeFileSync } from 'node:fs'
import { openProductWorld } from './product-world.ts'
test('rest', async () => {
  const counts = new Map<string, number>()
  const original = pg.Client.prototype.query as any
  let on = false
  pg.Client.prototype.query = function (this: any, ...args: any[]) {
    if (on) {
      const q = args[0]
      const text = (typeof q === 'string' ? q : (q?.text ?? String(q?.constructor?.name))).replaceAll(/\s+/g, ' ').trim().slice(0, 150)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    return original.apply(this, args)
  } as any
  const world = await openProductWorld({ KERNEL_FAULTS: '' })
  await new Promise(r => setTimeout(r, 8000))
  on = true
  const c = new pg.Client({ connectionString: world.database_url })
  const S = 20
  await new Promise(r => setTimeout(r, S * 1000))
  on = false
  const out = [...counts].sort((a, b) => b[1] - a[1]).map(([t, n]) => `${(n / S).toFixed(2)}/s ${t}`)
  const total = [...counts.values()].reduce((a, b) => a + b, 0) / S
  writeFileSync('/tmp/wt/machinery/rest.txt', `total ${total}\n${out.join('\n')}\n`)
  await world.close()
}, 120000)
