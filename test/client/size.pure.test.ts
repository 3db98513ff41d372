/** What a page has to load: the whole client with its dependencies, bundled and compressed. */
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const compressed_bytes_max = 15_000

test('the client is an ES module of less than 15 KB', { timeout: 60_000 }, async () => {
  const input = resolve(import.meta.dirname, '../../client/src/index.ts')
  const bundle = await rolldown({ input, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  const [{ code, imports, exports }] = output
  expect(imports).toEqual([])
  expect(exports).toEqual(expect.arrayContaining(['createClient', 'login', 'verifyWebhook']))
  const { length } = gzipSync(code)
  expect(length).toBeGreaterThan(5000)
  expect(length).toBeLessThan(compressed_bytes_max)
})
