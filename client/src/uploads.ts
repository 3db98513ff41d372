/**
 * Sends a file in parts, several at a time, and waits until it may be used. A failed part is sent
 * again to a new URL. An interrupted upload continues where it stopped.
 */
import { sha256 } from './hash-file.ts'
import { pause } from './pause.ts'
import { clear, ConnectionError, isFinal } from './problem.ts'
import type { components } from './schema.d.ts'

type Schemas = components['schemas']
type Create = Schemas['CreateUpload']
type Upload = Schemas['Upload']
export type StoredFile = NonNullable<Upload['file']>

export type UploadProgress = {
  readonly upload_id: string
  readonly state: 'sending' | 'verifying' | 'checking' | 'available'
  readonly sent_bytes: number
  readonly total_bytes: number
}

export type PutOptions = Partial<Omit<Create, 'expected_size' | 'checksum'>> & {
  readonly onProgress?: (progress: UploadProgress) => void
  readonly signal?: AbortSignal
  /** The upload to continue: the `upload_id` of an earlier progress. */
  readonly resume?: string
  readonly parts_at_once?: number
}

/** The platform refused the file. `code` is the reason, such as `malware_detected`. */
export class UploadFailed extends Error {
  override readonly name = 'UploadFailed'
  readonly code: string
  readonly upload_id: string

  constructor(code: string, upload_id: string) {
    super(`The upload failed: ${code}`)
    this.code = code
    this.upload_id = upload_id
  }
}

export type Uploads = {
  /** Resolves with the file when it is available and can be downloaded. */
  put(file: Blob, options?: PutOptions): Promise<StoredFile>
}

type Call = (path: string, init: object) => Promise<{ data: unknown }>
export type Calls = { readonly get: Call; readonly post: Call }

/** The purposes that want the kind of picture. The others take `any`. */
const pictures = new Set<string | undefined>(['avatar', 'product_media', 'post_media'])
const attempts_max = 5
const poll_ms = 500

export function uploadsOf(calls: Calls): Uploads {
  return {
    put: async (file, { onProgress, signal, resume, parts_at_once = 4, ...create } = {}) => {
      if (typeof (file as Partial<Blob>).arrayBuffer !== 'function') {
        throw new TypeError('`put` takes a File or a Blob. For a text: new Blob([text]).')
      }
      // The hash is computed first, because some purposes require it at the beginning.
      const checksum = `sha256:${await sha256(file, signal)}`
      const begun = await begin(calls, file, { ...create, checksum }, { resume, signal })
      const sending = new Sending(begun, file, onProgress)
      await sendParts(calls, sending, { parts_at_once, signal })
      sending.report('verifying')
      await post(calls, `/v1/uploads/{upload_id}/complete`, begun.id, signal, {
        parts: Array.from({ length: begun.part_count }, (_, n) => ({ part_number: n + 1 })),
        checksum,
      })
      sending.report('checking')
      const stored = await available(calls, begun.id, signal)
      sending.report('available')
      return stored
    },
  }
}

/** The common part of a new and of a continued upload. */
type Begun = {
  readonly id: string
  readonly part_size: number
  readonly part_count: number
  readonly received_bytes: number
  readonly missing_parts: readonly (readonly number[])[]
}

async function begin(
  { get, post: send }: Calls,
  file: Blob,
  create: Partial<Create>,
  { resume, signal }: { resume: string | undefined; signal: AbortSignal | undefined },
): Promise<Begun> {
  const given = signal ? { signal } : {}
  if (resume !== undefined) {
    const params = { path: { upload_id: resume } }
    return (await get('/v1/uploads/{upload_id}', { params, ...given })).data as Upload
  }
  const { name } = file as Partial<File>
  const body = {
    purpose: 'generic',
    media_category: pictures.has(create.purpose) ? file.type.split('/')[0] : 'any',
    ...(name ? { filename: name } : {}),
    ...(file.type ? { claimed_type: file.type.split(';')[0] } : {}),
    ...create,
    expected_size: file.size,
  }
  const made = (await send('/v1/uploads', { body, ...given })).data as Schemas['NewUpload']
  return { ...made, received_bytes: 0, missing_parts: [[1, made.part_count]] }
}

/** The number of sent bytes of each part. */
class Sending {
  readonly upload: Begun
  readonly file: Blob
  readonly missing: number[]
  private readonly bytes = new Map<number, number>()
  private readonly onProgress: PutOptions['onProgress']

  constructor(upload: Begun, file: Blob, onProgress: PutOptions['onProgress']) {
    this.upload = upload
    this.file = file
    this.onProgress = onProgress
    this.missing = upload.missing_parts.flatMap(([from = 1, to = 0]) =>
      Array.from({ length: to - from + 1 }, (_, n) => from + n),
    )
  }

  part(number: number): Blob {
    const { part_size } = this.upload
    return this.file.slice((number - 1) * part_size, number * part_size)
  }

  sent(number: number, bytes: number): void {
    this.bytes.set(number, bytes)
    this.report('sending')
  }

  report(state: UploadProgress['state']): void {
    const before = this.upload.received_bytes
    const now = [...this.bytes.values()].reduce((sum, one) => sum + one, 0)
    const total_bytes = this.file.size
    const sent_bytes = Math.min(total_bytes, before + now)
    this.onProgress?.({ upload_id: this.upload.id, state, sent_bytes, total_bytes })
  }
}

type Sender = { readonly parts_at_once: number; readonly signal: AbortSignal | undefined }

async function sendParts(calls: Calls, sending: Sending, sender: Sender): Promise<void> {
  const numbers = sending.missing.values()
  // If one part fails, no other part is sent any more.
  const ending = new AbortController()
  const signal = sender.signal ? AbortSignal.any([sender.signal, ending.signal]) : ending.signal
  const run = async () => {
    for (const number of numbers) await sendPart(calls, sending, number, signal)
  }
  try {
    await Promise.all(Array.from({ length: sender.parts_at_once }, run))
  } catch (error) {
    ending.abort(error)
    throw error
  }
}

async function sendPart(
  calls: Calls,
  sending: Sending,
  number: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const blob = sending.part(number)
    try {
      // Each attempt gets a new URL, because the last one may have expired.
      const body = { part_numbers: [number] }
      const to = '/v1/uploads/{upload_id}/parts'
      const { data } = await post(calls, to, sending.upload.id, signal, body)
      const { part_urls } = data as { part_urls: { url: string }[] }
      const progress = (bytes: number) => sending.sent(number, bytes)
      const answer = await putBytes(part_urls[0]?.url ?? '', blob, progress, signal)
      if (answer.status < 300) return progress(blob.size)
      // The bytes themselves were refused, so a retry would fail too.
      if (answer.status === 422) throw new UploadFailed(codeIn(answer.text), sending.upload.id)
      throw new Error(`The part was answered ${answer.status}`)
    } catch (error) {
      signal?.throwIfAborted()
      const refused = error instanceof UploadFailed || isFinal(error)
      if (attempt === attempts_max || refused) throw error
      sending.sent(number, 0)
      await pause(250 * 2 ** attempt * Math.random(), signal)
    }
  }
}

function post(
  calls: Calls,
  path: string,
  upload_id: string,
  signal: AbortSignal | undefined,
  body: object,
) {
  return calls.post(path, { params: { path: { upload_id } }, body, ...(signal ? { signal } : {}) })
}

/**
 * The used part of the type. Node has no such object, and programs for Node do not know its type.
 */
type BrowserRequest = {
  readonly status: number
  readonly responseText: string
  readonly upload: {
    addEventListener(type: 'progress', listener: (event: { readonly loaded: number }) => void): void
  }
  addEventListener(type: 'load' | 'error' | 'abort' | 'loadend', listener: () => void): void
  open(method: string, url: string): void
  send(body: Blob): void
  abort(): void
}

type PutAnswer = { readonly status: number; readonly text: string }

/** The code of a problem document. */
function codeIn(text: string): string {
  return /"code":\s*"([a-z_]+)"/.exec(text)?.[1] ?? 'part_refused'
}

/** Uses XMLHttpRequest in a browser, because only that reports progress. */
async function putBytes(
  url: string,
  blob: Blob,
  progress: (bytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<PutAnswer> {
  const { XMLHttpRequest: Browser } = globalThis as { XMLHttpRequest?: new () => BrowserRequest }
  if (!Browser) {
    try {
      const init = { method: 'PUT', body: blob, ...(signal ? { signal } : {}) }
      const response = await fetch(url, init)
      return { status: response.status, text: await response.text() }
    } catch (error) {
      throw clear(error, 'A part', new URL(url).origin)
    }
  }
  return new Promise((resolve, reject) => {
    const request = new Browser()
    const stop = () => request.abort()
    request.open('PUT', url)
    request.upload.addEventListener('progress', event => progress(event.loaded))
    const answer = () => resolve({ status: request.status, text: request.responseText })
    request.addEventListener('load', answer)
    request.addEventListener('error', () =>
      reject(new ConnectionError('A part', new URL(url).origin)),
    )
    request.addEventListener('abort', () => reject(signal?.reason as Error))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop))
    signal?.addEventListener('abort', stop)
    request.send(blob)
  })
}

async function available(
  { get }: Calls,
  upload_id: string,
  signal: AbortSignal | undefined,
): Promise<StoredFile> {
  for (;;) {
    const init = { params: { path: { upload_id } }, ...(signal ? { signal } : {}) }
    const { state, file, error_code } = (await get('/v1/uploads/{upload_id}', init)).data as Upload
    if (state === 'available' && file) return file
    if (state !== 'uploaded' && state !== 'initiated') {
      throw new UploadFailed(error_code ?? state, upload_id)
    }
    await pause(poll_ms, signal)
  }
}
