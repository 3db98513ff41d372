/**
 * The script of the payment page. It gets a payment method from the provider's own form, sends it
 * with the id of the attempt, and follows the payment. A request that was lost is sent again with
 * the same id, so it pays once. Where the page was left in the middle, the payer chooses to go on
 * or to pay in another way.
 */
export const page_script = `
const at = id => document.getElementById(id)
const setup = JSON.parse(at('page').dataset.setup)
const { words } = setup
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
let { path, query } = setup
let wallet
let busy = false
let ready = false

/** What the payer can press in the form. The form of the provider must be there first. */
const enable = on => {
  for (const one of document.querySelectorAll('#form button')) {
    one.disabled = !on || (one.id === 'pay' && !ready)
  }
}

const show = name => {
  for (const one of document.querySelectorAll('[data-part]')) one.hidden = one.dataset.part !== name
}
const say = text => { at('error').textContent = text; at('error').hidden = text === '' }

async function ask(method, more, body) {
  for (let tries = 0; ; tries++) {
    try {
      const headers = body ? { 'content-type': 'application/json' } : {}
      const answer = await fetch(path + more + query, { method, headers, body: JSON.stringify(body) })
      const read = await answer.json()
      if (answer.status < 500 || tries === 4) return read
    } catch (error) {
      if (tries === 4) throw error
    }
    await pause(400 * 2 ** tries)
  }
}

/** Follows a payment until it ends or the payer must choose. */
async function follow(first, acts) {
  let answer = first
  for (let look = 0; ; look++) {
    if (answer.url) {
      const own = new URL(answer.url)
      path = own.pathname
      query = own.search
      history.replaceState(null, '', path + query)
    }
    if (answer.state === 'paid') {
      show('paid')
      if (answer.return_url) location.replace(answer.return_url)
      return
    }
    if (answer.state === 'open') {
      show('form')
      return say(words.again)
    }
    if (answer.state !== 'processing') return refuse(answer)
    const { next_action } = answer
    if (next_action && !acts) return show('choice')
    show('wait')
    if (next_action) {
      acts = false
      if (next_action.url) return location.assign(next_action.url)
      const done = await (await openWallet()).act(next_action.client_secret)
      if (done.error) say(done.error)
    } else await pause(Math.min(3000, 200 * 1.5 ** look))
    answer = await ask('GET', '/state')
  }
}

function refuse({ code, reason = code, state }) {
  if (state || code === 'request_not_open') return location.reload()
  show('form')
  say(words[reason] ?? words.failed)
}

async function openWallet() {
  wallet ??= open_wallet({
    ...setup, place: at('element'), ready: () => { ready = true; enable(!busy) },
  })
  return await wallet
}

function amountIn() {
  const input = at('amount')
  if (!input) return undefined
  const [, whole, part = ''] = /^(\\d{1,10})(?:[.,](\\d*))?$/.exec(input.value.trim()) ?? []
  if (whole === undefined || part.length > setup.digits) return NaN
  return Number(whole + part.padEnd(setup.digits, '0'))
}

async function makeToken(amount_minor) {
  const { change, pay: make } = await openWallet()
  if (amount_minor) change(Math.round(amount_minor * setup.scale))
  return await make(location.href, at('save')?.checked)
}

async function payBy(provider, make) {
  const amount_minor = amountIn()
  if (amount_minor !== undefined && !(amount_minor > 0)) return say(words.amount)
  const made = await make(amount_minor)
  if (made.error) return say(made.error)
  const email = at('email')?.value.trim()
  const answer = await ask('POST', '/attempts', {
    provider,
    payment_method: made.payment_method,
    save: (provider === setup.provider && at('save')?.checked) || undefined,
    attempt_id: crypto.randomUUID(),
    ...(amount_minor && { amount_minor }),
    ...(email && { email }),
  })
  if (answer.state) return await follow(answer, true)
  if (answer.code === 'operation_pending') return await follow(await ask('GET', '/state'), false)
  refuse(answer)
}

const acting = run => async event => {
  event.preventDefault()
  if (busy) return
  busy = true
  enable(false)
  say('')
  try {
    await run()
  } catch {
    show('form')
    say(words.lost)
  } finally {
    busy = false
    enable(true)
  }
}

if (setup.state === 'open' || setup.state === 'processing') {
  at('form').addEventListener('submit', acting(() => open_wallet && payBy(setup.provider, makeToken)))
  for (const one of document.querySelectorAll('[data-provider]')) {
    const { provider, method } = one.dataset
    one.addEventListener('click', acting(() => payBy(provider, () => ({ payment_method: method }))))
  }
  at('go-on').addEventListener('click', acting(async () => follow(await ask('GET', '/state'), true)))
  at('other').addEventListener('click', () => show('form'))
  enable(true)
  if (open_wallet) openWallet().catch(() => say(words.script))
  if (setup.state === 'processing') void ask('GET', '/state').then(one => follow(one, false))
}
// A page from the cache of the browser may show what was owed before.
addEventListener('pageshow', event => { if (event.persisted) location.reload() })
`
