/** The same call in the SDKs that people use. Each reads its key from the environment. */
type Snippet = { readonly title: string; text(origin: string, model: string): string }

export const snippets: readonly [Snippet, ...Snippet[]] = [
  {
    title: 'Shell',
    text: origin => `export DODECA_KEY=...
export OPENAI_BASE_URL=${origin}/v1 OPENAI_API_KEY=$DODECA_KEY
export ANTHROPIC_BASE_URL=${origin} ANTHROPIC_API_KEY=$DODECA_KEY`,
  },
  {
    title: 'curl',
    text: (origin, model) => `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $DODECA_KEY" -H 'Content-Type: application/json' \\
  -H 'X-Tags: feature:search' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello."}]}'`,
  },
  {
    title: 'OpenAI, Python',
    text: (origin, model) => `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/v1",
    api_key=os.environ["DODECA_KEY"],
    default_headers={"X-Tags": "feature:search"},
)
answer = client.responses.create(model="${model}", input="Hello.")
print(answer.output_text)`,
  },
  {
    title: 'OpenAI, TypeScript',
    text: (origin, model) => `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.DODECA_KEY,
  defaultHeaders: { 'X-Tags': 'feature:search' },
})
const answer = await client.responses.create({ model: '${model}', input: 'Hello.' })
console.log(answer.output_text)`,
  },
  {
    title: 'Anthropic, Python',
    text: (origin, model) => `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${origin}",
    api_key=os.environ["DODECA_KEY"],
    default_headers={"X-Tags": "feature:search"},
)
message = client.messages.create(
    model="${model}",
    max_tokens=1000,
    messages=[{"role": "user", "content": "Hello."}],
)
print(message.content[0].text)`,
  },
  {
    title: 'Anthropic, TypeScript',
    text: (origin, model) => `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({
  baseURL: '${origin}',
  apiKey: process.env.DODECA_KEY,
  defaultHeaders: { 'X-Tags': 'feature:search' },
})
const message = await client.messages.create({
  model: '${model}',
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello.' }],
})
console.log(message.content)`,
  },
  {
    title: 'LangChain, Python',
    text: (origin, model) => `import os
from langchain_openai import ChatOpenAI

chat = ChatOpenAI(
    model="${model}",
    base_url="${origin}/v1",
    api_key=os.environ["DODECA_KEY"],
    default_headers={"X-Tags": "feature:search"},
)
print(chat.invoke("Hello.").content)`,
  },
  {
    title: 'AI SDK, TypeScript',
    text: (origin, model) => `import { createOpenAI } from '@ai-sdk/openai'
import { generateText } from 'ai'

const dodeca = createOpenAI({
  baseURL: '${origin}/v1',
  apiKey: process.env.DODECA_KEY,
  headers: { 'X-Tags': 'feature:search' },
})
const { text } = await generateText({ model: dodeca('${model}'), prompt: 'Hello.' })
console.log(text)`,
  },
]
