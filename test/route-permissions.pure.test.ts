/**
 * An operation that everybody may use on their own things often serves those of others with a
 * permission. Its handler asks for it, so the route has to name it for the published document.
 */
import { globSync, readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { openProduct } from '../scripts/openapi.ts'

const product = await openProduct()
afterAll(() => product.stop())

/** Handlers that ask for grants, but for no permission that the caller would need. */
const besides: Readonly<Record<string, string>> = {
  startAttachment: 'every person may, and an API key like at `createUpload`',
  registerUploadParts: 'finds only uploads of the caller',
  completeUpload: 'finds only uploads of the caller',
}

const declared = /^ {2}(\w+): (?:get|list|create|post|put|patch|del)\(/m
const asking = globSync('src/surfaces/**/*.ts').flatMap(file => {
  const [, ...parts] = readFileSync(file, 'utf8').split(declared)
  return parts.flatMap((name, at) => {
    const text = parts[at + 1]?.split('\n})\n')[0] ?? ''
    return at % 2 === 0 && /\bgrants\b|\bof: owner\(/.test(text) ? [name] : []
  })
})
const own = product.routes.filter(
  ({ name = '', permission, takes }) =>
    asking.includes(name) && (permission === 'authenticated' || takes === 'access_token'),
)

test('a handler that asks for grants has a route that names the permission', () => {
  expect(own.length).toBeGreaterThan(30)
  const silent = own.filter(({ for_others, for_types }) => !for_others && !for_types)
  expect(new Set(silent.map(({ name }) => name))).toEqual(new Set(Object.keys(besides)))
})

test('the document says what others require', () => {
  const { paths } = JSON.parse(product.document())
  const says = (path: string, method: string) => paths[path][method].description as string
  expect(says('/v1/accounts/{account_id}/sessions', 'delete')).toContain(
    'Requires a credential. For what belongs to others, it requires the permission `identity.sessions.revoke_any` (roles: `session_administrator`).',
  )
  expect(says('/v1/me', 'get')).toContain('Requires a credential, but no permission.')
  const wrong = own.filter(
    ({ name = '', path, method }) =>
      !besides[name] && says(path, method.toLowerCase()).includes('but no permission'),
  )
  expect(wrong).toEqual([])
})
