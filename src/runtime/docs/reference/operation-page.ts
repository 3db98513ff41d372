/**
 * The page of one operation: its parameters and body, its replies and refusals, samples, and a form
 * to try it.
 */
import { markup, type Markup } from '#dodeca/kernel'
import { base } from '../frame.ts'
import { code, tabs, type Sample } from '../tabs.ts'
import {
  parametersOf,
  resolved,
  smallest,
  type Content,
  type Document,
  type Json,
  type Operation,
  type Parameter,
  type Reply,
} from './document.ts'
import { described, member, shape, typeOf } from './schema-view.ts'

export type Shown = {
  readonly method: string
  readonly path: string
  readonly operation: Operation & { readonly 'x-codeSamples': readonly Sample[] }
}

export function operationPage(document: Document, shown: Shown): Markup {
  const { method, path, operation } = shown
  const parameters = parametersOf(document, operation)
  const replies = repliesOf(document, operation)
  const good = replies.filter(({ status }) => /^[123]/.test(status))
  const refusals = replies.filter(({ status }) => /^[45]/.test(status))
  return markup`<h1>${operation.summary}</h1>
<p class="address"><b>${method}</b> <code>${path}</code></p>
<div class="operation"><div>
${described(operation.description)}
<p class="soft">${tokenNeed(operation)} In the clients it is <code>${operation.operationId}</code>.</p>
${parameters.length > 0 && section('parameters', 'Parameters', parametersView(document, parameters))}
${operation.requestBody && section('body', 'Body', bodyView(document, operation.requestBody.content))}
${section('replies', 'Replies', markup`${good.map(one => replyView(document, one))}`)}
${section('errors', 'Errors', errorsView(refusals))}
</div><div class="beside">
${section('samples', 'Samples', tabs(operation['x-codeSamples']))}
${section('try', 'Try it', tryForm(document, shown, parameters))}
</div></div>
`
}

function tokenNeed({ security = [] }: Operation): string {
  if (security.length === 0) return 'It needs no token.'
  const optional = security.some(one => Object.keys(one).length === 0)
  return optional ? 'A token is optional.' : 'It needs a token.'
}

function section(id: string, title: string, content: Markup): Markup {
  return markup`<h2 id="${id}"><a href="#${id}">${title}</a></h2>\n${content}\n`
}

function parametersView(document: Document, parameters: readonly Parameter[]): Markup {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const given = description === undefined ? schema : { ...schema, description }
    return member(document, place === 'query' ? `?${name}` : name, given, required === true)
  })
  return markup`<dl class="members">${rows}</dl>`
}

function bodyView(document: Document, content: Content): Markup {
  const types = Object.keys(content).map(one => (one === '*/*' ? 'bytes of any type' : one))
  const schema = content['application/json']?.schema
  return markup`<p class="soft">${types.join(' or ')}</p>
${schema && contentView(document, schema)}`
}

function contentView(document: Document, schema: Json): Markup {
  const [example] = (resolved(document, schema)['examples'] ?? []) as readonly unknown[]
  const inside = shape(document, schema) ?? markup`<p>${typeOf(document, schema)}</p>`
  return markup`${inside}${
    example !== undefined &&
    markup`<details><summary>Example</summary>${code(JSON.stringify(example, null, 2))}</details>`
  }`
}

type Numbered = Reply & { readonly status: string }

function repliesOf(document: Document, { responses }: Operation): Numbered[] {
  return Object.entries(responses).map(([status, given]) => ({
    ...(resolved(document, given) as Reply),
    status,
  }))
}

function replyView(document: Document, { status, description, headers, content }: Numbered) {
  const entries = Object.entries(headers ?? {}).map(([name, given]) => {
    const header = resolved(document, given)
    return markup`<dt><code>${name}</code></dt><dd>${described(header['description'])}</dd>\n`
  })
  const shown = Object.entries(content ?? {}).map(
    ([type, { schema }]) =>
      markup`<p class="soft">${type === '*/*' ? 'bytes of any type' : type}</p>
${schema && type.endsWith('json') && contentView(document, schema)}`,
  )
  return markup`<h3><code>${status}</code></h3>${described(description)}${shown}
${entries.length > 0 && markup`<details><summary>Headers</summary><dl class="members">${entries}</dl></details>`}`
}

/** The description of a refusal lists its codes. */
function errorsView(refusals: readonly Numbered[]): Markup {
  const rows = refusals.map(({ status, description }) => {
    const codes = [...description.matchAll(/`([a-z_0-9]+)`/g)].map(
      ([, name = '']) => markup`<a href="/problems/${name}"><code>${name}</code></a> `,
    )
    return markup`<dt><code>${status}</code></dt><dd><p>${codes.length > 0 ? codes : description}</p></dd>\n`
  })
  return markup`<p>Refusals are <a href="${base}/requests#errors">problem documents</a>.</p><dl class="members">${rows}</dl>`
}

/** The form is hidden until its script has loaded. */
function tryForm(
  document: Document,
  { method, path, operation }: Shown,
  parameters: readonly Parameter[],
): Markup {
  const content = operation.requestBody?.content
  const schema = content?.['application/json']?.schema
  const example = schema && smallest(resolved(document, schema))
  const needs = (operation.security ?? []).length > 0
  return markup`<form id="try-form" hidden data-method="${method}" data-path="${path}">
${
  needs &&
  markup`<label>Token <input name="token" type="password" autocomplete="off" spellcheck="false"></label>
<p class="soft">An access token or an API key. <a href="${base}/api/logIn#try">Log in</a> and it is filled in. It stays in this tab.</p>`
}
${parameters.map(one => field(document, one))}
${schema && markup`<label>Body <textarea name="body" rows="8" spellcheck="false">${example !== undefined && JSON.stringify(example, null, 2)}</textarea></label>`}
${content && !schema && markup`<label>Body <input name="file" type="file"></label>`}
<p><button>Send</button> <button type="button" name="stop" hidden>Stop</button></p>
</form>
<noscript><p>The form needs JavaScript.</p></noscript>
<div id="reply" aria-live="polite"></div>`
}

function field(document: Document, { name, in: place, required, schema }: Parameter): Markup {
  const known = `${place}:${name}`
  const needed = required === true && name !== 'Idempotency-Key' && markup` required`
  const values = resolved(document, schema)['enum'] as readonly string[] | undefined
  if (values)
    return markup`<label>${name} <select name="${known}"><option></option>${values.map(one => markup`<option>${one}</option>`)}</select></label>\n`
  const hint = name === 'Idempotency-Key' ? 'a new one for each request' : null
  return markup`<label>${name} <input name="${known}"${needed}${hint && markup` placeholder="${hint}"`} autocomplete="off" spellcheck="false"></label>\n`
}
