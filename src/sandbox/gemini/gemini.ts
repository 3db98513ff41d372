/**
 * Gemini's generateContent over its own wire protocol. A request with a call of the model, and
 * without the signature that came with it, is refused.
 */
import { createHmac } from 'node:crypto'
import { answerTo, type Answer, type Usage } from '../model/answer.ts'
import { ApiError, unknownUrl } from '../model/api-error.ts'
import { modelDouble } from '../model/double.ts'
import { faultFor, keyIn, turnOf } from '../model/http.ts'
import { checkModel, snapshotOf } from '../model/models.ts'
import { promptOf, type Prompt } from '../model/prompt.ts'
import { read } from '../model/read-body.ts'
import { strike } from '../model/strike.ts'
import { sendJson, sendStream, type Frame } from '../model/turn.ts'
import { idOf } from '../model/vendor-id.ts'
import { Generate, type Part } from './protocol.ts'

type Made = { readonly id: string; readonly model: string; readonly answer: Answer }

const actions = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/

export const gemini = modelDouble({
  name: 'gemini',
  base: '/v1beta',
  key_prefix: 'AIza-sandbox-',
  key_header: 'x-goog-api-key',
  id_header: 'x-request-id',
  bodyOf: error => ({ error: errorOf(error) }),
  route: async (heard, { faults, pace }) => {
    const [, name = '', action] = actions.exec(heard.path) ?? []
    if (heard.method !== 'POST' || !action) throw unknownUrl(heard.method, heard.path)
    const model = decodeURIComponent(name)
    const body = read(Generate, heard.body)
    const prompt = promptOfContents({ path: heard.path, model, key: keyIn(heard) }, body)
    checkModel(prompt, 'text')
    const fault = faultFor(faults, heard, prompt)
    if (fault && strike(heard.response, fault)) return
    const made = { id: idOf('gen'), model, answer: answerTo(prompt, fault) }
    const turn = turnOf(heard, fault, pace, (_, message) =>
      dataOf({ error: errorOf(new ApiError(503, message)) }),
    )
    await (action === 'streamGenerateContent'
      ? sendStream(turn, framesOf(made))
      : sendJson(turn, 200, chunkOf(made, partsOf(made.answer), true)))
  },
})

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

function errorOf({ status: code, code: name, message: said }: ApiError): object {
  const message =
    name === 'context_length_exceeded'
      ? 'The input token count (9) exceeds the maximum number of tokens allowed (8).'
      : said
  return { code, message, status: names[code] ?? 'INTERNAL' }
}

type Asked = { readonly path: string; readonly model: string; readonly key: string | null }

function promptOfContents({ path, model, key }: Asked, body: Generate): Prompt {
  const { contents, systemInstruction, generationConfig: config = {}, tools = [] } = body
  checkContents(contents)
  const parts = contents.flatMap(one => one.parts)
  const { mode = 'AUTO', allowedFunctionNames = [] } = body.toolConfig?.functionCallingConfig ?? {}
  const schema = config.responseJsonSchema ?? { type: 'object', properties: {} }
  return promptOf({
    path,
    model,
    instructions: textOf(systemInstruction?.parts ?? []),
    input: textOf(parts),
    max_output_tokens: config.maxOutputTokens ?? 1_000_000,
    schema: config.responseMimeType ? { name: '', schema } : null,
    tools: tools
      .flatMap(one => one.functionDeclarations)
      .map(({ name, parametersJsonSchema = {} }) => ({ name, parameters: parametersJsonSchema })),
    tool_choice: mode === 'ANY' ? (allowedFunctionNames[0] ?? 'required') : mode.toLowerCase(),
    results: parts.filter(one => one.functionResponse).length,
    operation_id: key,
  })
}

const textOf = (parts: readonly Part[]) =>
  parts
    .map(({ text, functionResponse: result }) => {
      return text ?? (result ? JSON.stringify(result.response) : '')
    })
    .join('\n')

const sign = (call: string) => createHmac('sha256', 'thoughts').update(call).digest('base64')
/** What the vendor documents for calls of other models. */
const unsigned = 'skip_thought_signature_validator'

/** The first call of each content has a signature, and as many results follow as there are calls. */
function checkContents(contents: Generate['contents']): void {
  for (const [at, { role, parts }] of contents.entries()) {
    const calls = parts.filter(one => one.functionCall)
    const [first] = calls
    if (role === 'user' || !first?.functionCall) continue
    const { id = '', name } = first.functionCall
    const { thoughtSignature: given } = first
    if (!given) {
      const where = `Function call \`${name}\` in the \`${at}.\` content block`
      throw new ApiError(400, `${where} is missing a \`thought_signature\`.`)
    }
    if (given !== sign(id) && given !== unsigned) throw new ApiError(400, 'Invalid signature.')
    const results = contents[at + 1]?.parts.filter(one => one.functionResponse) ?? []
    if (results.length !== calls.length) {
      throw new ApiError(400, 'The number of function response parts must equal that of the calls.')
    }
  }
}

function partsOf({ calls, deltas }: Answer): Part[] {
  if (calls.length === 0) return [{ text: deltas.join('') }]
  return calls.map(({ id, name, arguments: said }, at) => ({
    functionCall: { id, name, args: JSON.parse(said) as Record<string, unknown> },
    ...(at === 0 ? { thoughtSignature: sign(id) } : {}),
  }))
}

function chunkOf({ id, model, answer }: Made, parts: Part[], is_last: boolean): object {
  const finishReason = is_last ? { finishReason: reasonOf(answer) } : {}
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...finishReason }],
    ...(answer.usage ? { usageMetadata: usageOf(answer.usage, is_last) } : {}),
    modelVersion: snapshotOf(model),
    responseId: id,
  }
}

function reasonOf({ refused, ending }: Answer): string {
  if (refused) return 'SAFETY'
  if (ending.status !== 'incomplete') return 'STOP'
  return ending.reason === 'content_filter' ? 'PROHIBITED_CONTENT' : 'MAX_TOKENS'
}

function usageOf({ input, cached, output, reasoning }: Usage, is_last: boolean): object {
  const said = is_last ? output - reasoning : 1
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: said,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + said + reasoning,
  }
}

const dataOf = (data: object) => `data: ${JSON.stringify(data)}\r\n\r\n`

function* framesOf(made: Made): Generator<Frame> {
  const { answer } = made
  for (const text of answer.deltas) {
    yield { text: dataOf(chunkOf(made, [{ text }], false)), kind: 'delta' }
  }
  for (const part of answer.calls.length > 0 ? partsOf(answer) : []) {
    yield { text: dataOf(chunkOf(made, [part], false)), kind: 'delta' }
  }
  if (answer.ending.status === 'failed') {
    const error = errorOf(new ApiError(500, answer.ending.message))
    yield { text: dataOf({ error }), kind: 'other' }
    return
  }
  yield { text: dataOf(chunkOf(made, [{ text: '' }], true)), kind: 'terminal' }
}
