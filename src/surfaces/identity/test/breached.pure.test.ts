/** The search in a file of stolen passwords: what is in it is found, and nothing else. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { isBreached, requireBreachedFile } from '../passwords/breached.ts'

const folder = await mkdtemp(join(tmpdir(), 'dodeca-breached-'))
afterAll(() => rm(folder, { recursive: true }))

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

async function listOf(passwords: readonly string[], counts: readonly number[], end: string) {
  const lines = passwords.map((one, at) => {
    const count = counts[at % counts.length]
    return `${sha1(one)}${count ? `:${count}` : ''}${end}`
  })
  const path = join(folder, `${passwords.length}-${Math.random()}.txt`)
  await writeFile(path, lines.toSorted().join(''))
  return path
}

const counts = fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 5 })

test('each password of a list is found, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ maxLength: 8 }), { minLength: 1, maxLength: 40 }),
      fc.array(fc.string({ maxLength: 8 }), { maxLength: 20 }),
      counts,
      fc.constantFrom('\n', '\r\n'),
      async (listed, others, times, end) => {
        const path = await listOf(listed, times, end)
        requireBreachedFile(path)
        for (const one of [...listed, ...others]) {
          expect([one, await isBreached(path, one)]).toEqual([one, listed.includes(one)])
        }
      },
    ),
    { numRuns: 60 },
  )
})

test('the last line may have no end', async () => {
  const path = join(folder, 'no-end.txt')
  await writeFile(path, [sha1('a'), sha1('b')].toSorted().join('\n'))
  expect([await isBreached(path, 'a'), await isBreached(path, 'b')]).toEqual([true, true])
})

describe('a file is refused', () => {
  test.for([
    ['that is empty', ''],
    ['of plain passwords', 'password1234\nqwertyuiop12\n'],
    ['in lower case', `${sha1('a').toLowerCase()}:1\n`],
    ['of other hashes', `${createHash('sha256').update('a').digest('hex').toUpperCase()}\n`],
  ])('%s', async ([, text = '']) => {
    const path = join(folder, 'wrong.txt')
    await writeFile(path, text)
    expect(() => requireBreachedFile(path)).toThrow('does not begin with')
  })

  test('that does not exist', () => {
    expect(() => requireBreachedFile(join(folder, 'absent.txt'))).toThrow('absent.txt')
  })
})
