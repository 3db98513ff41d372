/** A measured gateway with its own API, and how its calls are written. */

export type Gateway = {
  readonly name: string
  readonly pid: number | undefined
  readonly origin: string
  readonly path: string
  readonly headers: readonly Readonly<Record<string, string>>[]
  body(ask: Ask): string
  /** What stands before the first text of a stream. */
  readonly first: string
}

export type Ask = {
  readonly prompt: string
  readonly tokens: number
  readonly stream: boolean
}

/** Chat completions, as the pass-through and Portkey take them. */
export const chat = {
  path: '/v1/chat/completions',
  first: '"delta":{"content"',
  body: ({ prompt, tokens, stream }: Ask) =>
    JSON.stringify({
      model: 'sandbox-large',
      messages: [{ role: 'user', content: prompt }],
      max_completion_tokens: tokens,
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }),
}

/** With a second model behind the first, as its users configure it. */
export function withFallback(portkey: Gateway): Gateway {
  const [headers = {}] = portkey.headers
  const { authorization, 'x-portkey-custom-host': custom_host } = headers
  const target = (model: string) => ({
    provider: 'openai',
    custom_host,
    api_key: authorization?.slice('Bearer '.length),
    override_params: { model },
  })
  const config = {
    strategy: { mode: 'fallback' },
    targets: ['sandbox-large', 'sandbox-small'].map(target),
  }
  const own = { 'content-type': 'application/json', 'x-portkey-config': JSON.stringify(config) }
  return { ...portkey, headers: [own] }
}
