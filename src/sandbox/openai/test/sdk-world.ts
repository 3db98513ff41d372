/** The vendor in this process, with the official SDK as its client. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { openSandbox, type Sandbox } from '../../open-sandbox.ts'
import { openai as vendor } from '../openai.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
type Json = any

export type SdkWorld = {
  client(options?: object): OpenAI
  address(name: 'api' | 'key' | 'webhook_secret' | 'control'): string
  /** POST with a body, GET without one. */
  control(path: string, body?: object): Promise<Json>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openSdkWorld(): Promise<SdkWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-openai-'))
  let sandbox: Sandbox = await openSandbox(folder, [vendor])
  const address: SdkWorld['address'] = name => sandbox.addresses['openai']?.[name] ?? ''
  return {
    address,
    client: (options = {}) =>
      new OpenAI({
        apiKey: address('key'),
        baseURL: address('api'),
        maxRetries: 0,
        logLevel: 'off',
        ...options,
      }),
    control: async (path, body) => {
      const answer = await fetch(new URL(path, address('control')), {
        method: body ? 'POST' : 'GET',
        ...(body
          ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
          : {}),
      })
      const text = await answer.text()
      expect(answer.status, text).toBeLessThan(300)
      return JSON.parse(text)
    },
    restart: async () => {
      await sandbox.close()
      sandbox = await openSandbox(folder, [vendor])
    },
    close: async () => {
      await sandbox.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function failure(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  return work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  )
}
