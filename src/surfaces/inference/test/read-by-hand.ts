/** A reader of a stream that takes as many frames as a test wants, and leaves or reads on. */
import { framesOf, type Someone } from './inference-world.ts'

export async function readByHand(
  url: string,
  one: Someone,
  input: string,
  enough: number,
  key?: string,
) {
  const leave = new AbortController()
  const response = await fetch(`${url}/v1/inferences:stream`, {
    method: 'POST',
    signal: leave.signal,
    headers: {
      authorization: `Bearer ${one.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ model: 'default', input }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (framesOf(text).length < enough) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
    if (done) break
    text += value
  }
  const rest = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
      if (done) return framesOf(text)
      text += value
    }
  }
  return { leave: () => leave.abort(), frames: framesOf(text), rest }
}
