/**
 * The endpoints. For each request they apply a fault and produce the model's answer. A repeated
 * `Idempotency-Key` gets the answer of the first request with that key.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { answerTo } from '../model/answer.ts'
import { ApiError, unknownUrl } from '../model/api-error.ts'
import type { FaultRule } from '../model/faults.ts'
import { faultFor, keyIn, openModelHttp, turnOf, type Heard } from '../model/http.ts'
import { checkModel, listModels, showModel } from '../model/models.ts'
import { read } from '../model/read-body.ts'
import { strike } from '../model/strike.ts'
import { sendJson, sendStream, type Turn } from '../model/turn.ts'
import { idOf } from '../model/vendor-id.ts'
import { chatFrames, completionOf, type MadeChat } from './chat.ts'
import { embed } from './embeddings.ts'
import { promptOfChat, promptOfResponse, promptOfTexts } from './prompt.ts'
import { CreateChat, CreateEmbeddings, CreateResponse } from './protocol.ts'
import * as responses from './responses.ts'
import type { Vended } from './vended.ts'

const answers_kept = 20_000

type Kept = { readonly fingerprint: string; readonly made: responses.Made | MadeChat }

type Call = Heard & {
  readonly vended: Vended
  readonly key: string | null
  /** Returns the result for this key, and creates it if there is none. */
  once<M extends Kept['made']>(make: () => M): M
}

export function openApi(vended: Vended) {
  const kept = new LRUCache<string, Kept>({ max: answers_kept })
  const onceFor =
    (key: string | null, raw: string) =>
    <M extends Kept['made']>(make: () => M): M => {
      const known = key === null ? undefined : kept.get(key)
      const fingerprint = createHash('sha256').update(raw).digest('base64')
      if (known && known.fingerprint !== fingerprint) {
        const message = 'Keys can only be used with the same parameters they were first used with.'
        throw new ApiError(400, message, { code: 'idempotency_error' })
      }
      if (known) return known.made as M
      const made = make()
      const failed = made.answer.ending.status === 'failed'
      if (key !== null && !failed) kept.set(key, { fingerprint, made })
      return made
    }
  return openModelHttp({
    // Azure has the same API, and its key in a header of its own.
    credentials: { key: vended.key, headers: ['api-key'], clock: vended.clock },
    requests: vended.requests,
    id_header: 'x-request-id',
    more_headers: {
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
    },
    bodyOf: error => error.body(),
    route: heard => {
      const key = keyIn(heard)
      return route({ ...heard, vended, key, once: onceFor(key, heard.raw) })
    },
  })
}

async function route(call: Call): Promise<void> {
  const { vended, method, path } = call
  const [, version, noun, id, action] = path.split('/')
  if (version === 'v1' && method === 'POST' && path === '/v1/responses') return createResponse(call)
  if (method === 'POST' && path === '/v1/chat/completions') return createChat(call)
  if (method === 'POST' && path === '/v1/embeddings') return createEmbeddings(call)
  const json = (body: object) => sendJson(turnFor(call, undefined), 200, body)
  if (version === 'v1' && noun === 'models' && method === 'GET' && action === undefined) {
    return json(id === undefined ? listModels() : showModel(id))
  }
  if (version === 'v1' && noun === 'responses' && id !== undefined) {
    const fault = vended.faults.forRequest(promptOfTexts(path, '', [], call.key))
    if (fault && strike(call.response, fault)) return
    if (method === 'GET' && action === undefined) {
      return sendJson(turnFor(call, fault), 200, responses.storedView(responses.found(vended, id)))
    }
    if (method === 'POST' && action === 'cancel') return json(responses.cancel(vended, id))
    if (method === 'DELETE' && action === undefined) {
      responses.found(vended, id)
      vended.store.change(change => change.drop('response', id))
      return json({ id, object: 'response', deleted: true })
    }
  }
  throw unknownUrl(method, path)
}

async function createResponse(call: Call): Promise<void> {
  const { vended, key, once } = call
  const body = read(CreateResponse, call.body)
  const prompt = promptOfResponse(call.path, body, key)
  checkModel(prompt, 'text')
  const fault = faultFor(vended.faults, call, prompt)
  if (fault && strike(call.response, fault)) return
  const now_ms = vended.clock.nowMs()
  const made = once(() => responses.makeResponse(body, { key, fault, now_ms }))
  const turn = turnFor(call, fault)
  if (body.background) {
    const known = vended.store.get('response', made.id)
    const wait = prompt.directives['background_ms']
    const view = known
      ? responses.storedView(known)
      : responses.queue(vended, made, wait === undefined ? undefined : Number(wait))
    if (fault?.action === 'webhook_first') {
      responses.endDue(vended, made.id)
      await vended.deliveries.flush(made.id)
    }
    return sendJson(turn, 200, view)
  }
  if (body.store !== false) {
    const stored = { ...made, status: 'completed' as const, ends_ms: now_ms }
    vended.store.change(change => change.put('response', made.id, stored))
  }
  if (body.stream) return sendStream(turn, responses.responseFrames(made))
  return sendJson(turn, 200, responses.viewOf(made, made.answer.ending.status))
}

async function createChat(call: Call): Promise<void> {
  const { vended, key, once } = call
  const body = read(CreateChat, call.body)
  const prompt = promptOfChat(call.path, body, key)
  checkModel(prompt, 'text')
  const fault = faultFor(vended.faults, call, prompt)
  if (fault && strike(call.response, fault)) return
  const created = Math.floor(vended.clock.nowMs() / 1000)
  const made = once(() => {
    return { id: idOf('chatcmpl'), created, body, answer: answerTo(prompt, fault) }
  })
  const turn = turnFor(call, fault)
  return body.stream ? sendStream(turn, chatFrames(made)) : sendJson(turn, 200, completionOf(made))
}

async function createEmbeddings(call: Call): Promise<void> {
  const body = read(CreateEmbeddings, call.body)
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  const prompt = promptOfTexts(call.path, body.model, texts, call.key)
  checkModel(prompt, 'embedding')
  const fault = faultFor(call.vended.faults, call, prompt)
  if (fault && strike(call.response, fault)) return
  return sendJson(turnFor(call, fault), 200, embed(body))
}

function turnFor(call: Call, fault: FaultRule | undefined): Turn {
  const is_chat = call.path.includes('/chat/')
  return turnOf(call, fault, call.vended.config(), (code, message) => {
    if (is_chat) return `data: ${JSON.stringify({ error: { message, type: code, code } })}\n\n`
    const error = { type: 'error', code, message, param: null, sequence_number: 99 }
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`
  })
}
