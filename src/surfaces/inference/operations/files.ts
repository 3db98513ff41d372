/**
 * Files of uploads in a conversation, named by their ids. Stored are the id, the size and the SHA-256.
 * The bytes are read for each run, if the caller still has the file and it is the same one.
 */
import type { Readable } from 'node:stream'
import { addAbortSignal } from 'node:stream'
import { requireScope, type Principal } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { filesIn, itemsOf, type File, type Input, type Item } from '../providers/form.ts'
import { isAccepted } from './attachments.ts'
import type { Call } from './call.ts'
import { takeMemory } from './memory.ts'

type Owner = { readonly tenant_id: string; readonly actor_id: string }
type Asking = Owner & { readonly scope?: Principal['scope'] | undefined; readonly pointer?: string }
type Stored = NonNullable<File['stored']>

/** A file as a request names it. `referFiles` completes it. */
export function namedFile(type: File['type'], file_id: string): File {
  return { type, media_type: '', data: '', stored: { id: file_id, sha256: '', size: 0 } }
}

/** Completes the files of a request that it names by their ids. */
export async function referFiles(
  deps: Pick<Deps, 'files' | 'kernel'>,
  asking: Asking,
  input: Input,
): Promise<Input> {
  if (filesIn(itemsOf(input)).every(one => !one.stored)) return input
  if (!deps.files) {
    const detail = 'There are no uploads here. Send the file inline.'
    throw problem('model_capability_unsupported', { detail })
  }
  const { scope } = asking
  if (scope) requireScope({ scope }, 'uploads.read', 'uploads.write')
  return await mapFiles(itemsOf(input), async stored => {
    const { detected_type, size, sha256, filename } = await findFile(deps, asking, stored.id)
    const media_type = detected_type ?? ''
    if (!isAccepted(media_type)) {
      const errors = [
        { location: 'body' as const, pointer: asking.pointer ?? '/input', constraint: 'file' },
      ]
      const detail = `The file ${stored.id} is not a png, jpeg, gif, webp or pdf. Send another one.`
      throw problem('validation_failed', { detail, errors })
    }
    return {
      type: media_type === 'application/pdf' ? 'document' : 'image',
      media_type,
      data: '',
      stored: { id: stored.id, sha256: sha256.toString('hex'), size },
      ...(filename === null ? {} : { name: filename }),
    }
  })
}

/**
 * The call with the bytes of its files, and a function that gives their memory back. It throws a
 * Problem: `file_not_found`, or `capacity_exceeded` if the process has no memory left for them.
 */
export async function loadFiles(
  deps: Pick<Deps, 'files' | 'kernel'>,
  call: Call,
  signal: AbortSignal,
): Promise<{ readonly call: Call; leave(): void }> {
  const { before, content } = call
  const named = filesIn([...before, ...itemsOf(content.input)]).flatMap(one => one.stored ?? [])
  if (named.length === 0) return { call, leave: () => {} }
  const stored = new Map(named.map(one => [one.id, one]))
  const leave = takeMemory([...stored.values()].reduce((sum, { size }) => sum + size, 0))
  try {
    const data = new Map<string, string>()
    for (const one of stored.values()) data.set(one.id, await readStored(deps, call, one, signal))
    const load = (items: readonly Item[]) =>
      mapFiles(items, async ({ id }, file) => ({ ...file, data: data.get(id) ?? '' }))
    const input = await load(itemsOf(content.input))
    return { call: { ...call, before: await load(before), content: { ...content, input } }, leave }
  } catch (error) {
    leave()
    throw error
  }
}

/** Deleted, refused, of another person: the caller cannot tell which. */
async function findFile(
  { files, kernel }: Pick<Deps, 'files' | 'kernel'>,
  { tenant_id, actor_id }: Owner,
  id: string,
) {
  const found = await files?.inputFile(kernel.db, { tenant_id, owner_id: actor_id }, id)
  if (!found) throw problem('file_not_found')
  return found
}

async function readStored(
  deps: Pick<Deps, 'files' | 'kernel'>,
  owner: Owner,
  { id, sha256 }: Stored,
  signal: AbortSignal,
): Promise<string> {
  const found = await findFile(deps, owner, id)
  const read = await deps.files?.read({ tenant_id: owner.tenant_id, file_id: id })
  if (!read || found.sha256.toString('hex') !== sha256) throw problem('file_not_found')
  return (await bytesOf(addAbortSignal(signal, read.body))).toString('base64')
}

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** One after the other, so that a call uses one connection. */
async function mapFiles(
  items: readonly Item[],
  change: (stored: Stored, file: File) => Promise<File>,
): Promise<Item[]> {
  const changed: Item[] = []
  for (const item of items) {
    if (item.type !== 'message') {
      changed.push(item)
      continue
    }
    const parts = []
    for (const part of item.parts) {
      const stored = part.type === 'text' ? undefined : part.stored
      parts.push(part.type === 'text' || !stored ? part : await change(stored, part))
    }
    changed.push({ ...item, parts })
  }
  return changed
}
