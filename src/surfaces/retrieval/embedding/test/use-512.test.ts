/** The sentence encoder: meanings, queries first, and a reason where it cannot be used. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dot } from '../../engines/exact-index.ts'
import { ProfileUnavailable } from '../profile.ts'
import { openUse512, type ClosableProfile } from '../use-512.ts'
import { weightsFolder } from '../use-weights.ts'

let busy = false
let profile: ClosableProfile
beforeAll(() => {
  profile = openUse512(() => busy)
})
afterAll(async () => await profile.close())

describe('use-512@1', () => {
  test('finds what is said in other words', async () => {
    const [question, near, far] = await profile.embed(
      ['How old are you?', 'What is your age?', 'The database removes dead rows.'],
      'passage',
    )
    if (!question || !near || !far) throw new Error('there are not three vectors')
    expect(question).toHaveLength(512)
    expect(dot(question, question)).toBeCloseTo(1, 4)
    expect(dot(question, near)).toBeGreaterThan(0.7)
    expect(dot(question, far)).toBeLessThan(0.4)
  })

  test('computes a query before passages that wait', async () => {
    const order: string[] = []
    const passages = ['one', 'two', 'three', 'four'].map(async text => {
      await profile.embed([text], 'passage')
      order.push(text)
    })
    const query = profile.embed(['now'], 'query').then(() => order.push('query'))
    await Promise.all([...passages, query])
    expect(order).toEqual(['one', 'query', 'two', 'three', 'four'])
  })

  test('pauses between passages while the process is busy, but not before a query', async () => {
    busy = true
    try {
      const order: string[] = []
      const first = profile.embed(['one'], 'passage')
      const second = profile.embed(['two'], 'passage').then(() => order.push('two'))
      await first
      // Without the pause the second passage has begun by now, and the query waits for it.
      await profile.embed(['now'], 'query').then(() => order.push('query'))
      await second
      expect(order).toEqual(['query', 'two'])
    } finally {
      busy = false
    }
  })

  test('stops what its caller no longer wants', async () => {
    const stop = new AbortController()
    const before = profile.embed(['a passage'], 'passage')
    const unwanted = profile.embed(['another'], 'passage', undefined, stop.signal)
    stop.abort(new Error('no longer wanted'))
    await expect(unwanted).rejects.toThrow('no longer wanted')
    expect(await before).toHaveLength(1)
  })

  test('starts again after its thread ended', async () => {
    const lost = profile.embed(['a passage'], 'passage')
    await profile.close()
    await expect(lost).rejects.toThrow(ProfileUnavailable)
    expect(await profile.embed(['a passage'], 'passage')).toHaveLength(1)
  })

  test('is refused with a reason without its weights, and with other ones', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dodeca-weights-'))
    const other = openUse512(() => false, folder)
    try {
      const refused = async () => await other.embed(['a passage'], 'passage')
      await expect(refused()).rejects.toThrow(
        'use-512@1 is not available: The file model.json of its weights cannot be read.',
      )
      await cp(weightsFolder(), folder, { recursive: true })
      await writeFile(join(folder, 'group1-shard3of7'), 'other weights')
      await expect(refused()).rejects.toThrow(
        'The file group1-shard3of7 of its weights is not the known one.',
      )
    } finally {
      await other.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
