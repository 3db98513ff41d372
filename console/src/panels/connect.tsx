/** How a program calls models through the platform: addresses, a key, and lines for each SDK. */
import { useState } from 'preact/hooks'
import { ActionButton } from '../action.tsx'
import { Copied } from '../curl.tsx'
import { words } from '../language.ts'
import { callOperation, type Page } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { mayCall } from '../resource.ts'
import { useRead } from '../use-read.ts'
import { namesOf } from './playground.tsx'
import { snippets } from './snippets.ts'

const key_of_program = {
  name: 'my program',
  permissions: ['inference.operations.create', 'inference.models.read'],
}

export function Connect() {
  const { origin } = location
  const [chosen, choose] = useState(0)
  const models = useRead('models to connect', async signal => {
    const page = await callOperation('listModels', { query: { limit: 100 }, signal })
    return namesOf((page as Page).data)
  })
  const [model = 'default'] = models.data ?? []
  const snippet = snippets[chosen] ?? snippets[0]
  return (
    <div class="connect">
      <section class="card">
        <h2>{words.connect_addresses}</h2>
        <Address name="OpenAI" text={`${origin}/v1`} />
        <Address name="Anthropic" text={origin} />
        <Address name="MCP" text={`${origin}/mcp`} />
      </section>
      <section class="card">
        <h2>{words.connect_key}</h2>
        <p>{words.connect_key_says}</p>
        {mayCall('createApiKey') && (
          <ActionButton
            action={{ by: 'createApiKey', from: () => key_of_program }}
            path={{}}
            row={{}}
            main
          />
        )}
      </section>
      <section class="card">
        <h2>{words.connect_code}</h2>
        <div class="choices" role="group" aria-label={words.connect_code}>
          {snippets.map(({ title }, at) => (
            <button
              key={title}
              type="button"
              aria-pressed={at === chosen}
              onClick={() => choose(at)}
            >
              {title}
            </button>
          ))}
        </div>
        {models.error !== undefined && <ProblemBox error={models.error} />}
        <Copied text={snippet.text(origin, model)} label={snippet.title} />
        <p class="soft">{words.connect_tags}</p>
      </section>
    </div>
  )
}

function Address({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <h3>{name}</h3>
      <Copied text={text} label={name} />
    </>
  )
}
