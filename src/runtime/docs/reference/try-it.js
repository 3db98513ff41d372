// The form of a page of the reference: sends the request with the reader's own token to this
// platform and shows what came back. It runs in a browser, as it is.
const form = document.querySelector('#try-form')
const shown = document.querySelector('#reply')
const shown_max = 200_000
const kept = 'dodeca.docs.token'

if (form) {
  const { token, stop } = form.elements
  if (token) token.value = sessionStorage.getItem(kept) ?? ''
  token?.addEventListener('change', () => sessionStorage.setItem(kept, token.value.trim()))
  form.addEventListener('submit', event => {
    event.preventDefault()
    const stopping = new AbortController()
    stop.hidden = false
    stop.onclick = () => stopping.abort()
    send(stopping.signal)
      .catch(error => show('h3', stopping.signal.aborted ? 'Stopped' : String(error)))
      .finally(() => (stop.hidden = true))
  })
  form.hidden = false
}

async function send(signal) {
  const fields = [...new FormData(form)].filter(([, value]) => value !== '')
  const of = place =>
    fields.flatMap(([name, value]) =>
      name.startsWith(`${place}:`) ? [[name.slice(place.length + 1), value]] : [],
    )
  const given = Object.fromEntries(fields)
  const path = of('path').reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, () => encodeURIComponent(value)),
    form.dataset.path,
  )
  const query = new URLSearchParams(of('query')).toString()
  const headers = new Headers(of('header'))
  if (given.token) headers.set('authorization', `Bearer ${given.token.trim()}`)
  if (given.body) headers.set('content-type', 'application/json')
  if (form.elements['header:Idempotency-Key'] && !headers.has('idempotency-key'))
    headers.set('idempotency-key', newKey())
  shown.replaceChildren()
  show('h3', 'Sending …')
  const started = performance.now()
  const reply = await fetch(query ? `${path}?${query}` : path, {
    method: form.dataset.method,
    headers,
    body: given.body ?? (form.elements.file?.files[0] || undefined),
    credentials: 'omit',
    redirect: 'manual',
    signal,
  })
  shown.replaceChildren()
  const took = Math.round(performance.now() - started)
  if (reply.type === 'opaqueredirect')
    return void show(
      'h3',
      'A redirect. A browser shows a page only where it ends: try it with curl.',
    )
  show('h3', `${reply.status} ${reply.statusText} in ${took} ms`)
  const fold = show('details', '')
  fold.append(
    element('summary', 'Headers'),
    code([...reply.headers].map(one => one.join(': ')).join('\n')),
  )
  await showBody(reply)
}

async function showBody(reply) {
  const type = reply.headers.get('content-type') ?? ''
  if (!/json|text|xml/.test(type)) {
    const { size } = await reply.blob()
    if (size > 0) show('p', `${size} bytes of ${type || 'an unknown type'}`)
    return
  }
  const body = code('')
  shown.append(body)
  const target = body.firstChild
  for await (const text of reply.body.pipeThrough(new TextDecoderStream())) {
    target.append(text)
    if (target.textContent.length > shown_max) {
      show('p', `Only the first ${shown_max} characters are shown.`)
      return
    }
  }
  if (/json$|json;/.test(type)) pretty(target)
}

/** A reply to a log-in brings the token for the other pages. */
function pretty(target) {
  try {
    const value = JSON.parse(target.textContent)
    target.textContent = JSON.stringify(value, null, 2)
    if (typeof value.access_token !== 'string') return
    sessionStorage.setItem(kept, value.access_token)
    show('p', 'You are logged in: the other pages now send this token.')
  } catch {
    // It is shown as it came.
  }
}

/** `randomUUID` exists only on https and on this machine. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map(one => one.toString(16).padStart(2, '0'))
    .join('')
}

function element(name, text) {
  const made = document.createElement(name)
  made.textContent = text
  return made
}

function show(name, text) {
  const made = element(name, text)
  shown.append(made)
  return made
}

function code(text) {
  const made = element('pre', '')
  made.tabIndex = 0
  made.append(element('code', text))
  return made
}
