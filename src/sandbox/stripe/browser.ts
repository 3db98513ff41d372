/**
 * What a browser loads: `/js/v3`, a script with the part of Stripe.js that pages with a payment
 * element use, and the element itself, a frame of this origin. So the numbers of cards never reach
 * the page, and a page needs the same content security policy as with Stripe's own script.
 */
import type { ServerResponse } from 'node:http'

export function sendBrowserPart(path: string, response: ServerResponse): void {
  const element = path.startsWith('/js/v3/element')
  const type = element ? 'text/html' : 'text/javascript'
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8` })
  response.end(element ? element_page : script)
}

const script = `(() => {
  const { origin } = new URL(document.currentScript.src)
  const frame = (path, title, height) => {
    const made = document.createElement('iframe')
    Object.assign(made, { src: origin + path, title })
    Object.assign(made.style, { width: '100%', height, border: '0' })
    return made
  }
  const elementsOf = (key, given) => {
    const options = { ...given }
    if (options.mode !== 'payment') throw new Error('this sandbox has mode: payment only')
    const made = frame('/js/v3/element', 'Secure payment input frame', '15rem')
    const loaded = new Promise(resolve => made.addEventListener('load', resolve))
    const listeners = {}
    void loaded.then(() => listeners.ready?.({ elementType: 'payment' }))
    const ask = async (action, more = {}) => {
      await loaded
      const { port1, port2 } = new MessageChannel()
      const { amount, currency } = options
      return await new Promise(resolve => {
        port1.onmessage = ({ data }) => resolve(data)
        made.contentWindow.postMessage({ action, key, amount, currency, ...more }, origin, [port2])
      })
    }
    const element = {
      mount: place => {
        const at = typeof place === 'string' ? document.querySelector(place) : place
        at.append(made)
      },
      on: (name, run) => void (listeners[name] = run),
    }
    return {
      ask,
      create: name => {
        if (name !== 'payment') throw new Error('this sandbox has the payment element only')
        return element
      },
      update: more => void Object.assign(options, more),
      submit: () => ask('submit'),
    }
  }
  const challenge = id => new Promise(resolve => {
    const made = frame('/3ds/' + id + '?framed', 'Authentication of your bank', '100%')
    Object.assign(made.style, { position: 'fixed', inset: '0', background: 'white', zIndex: '9' })
    const listen = ({ origin: from, data }) => {
      if (from !== origin || !data.challenge) return
      window.removeEventListener('message', listen)
      made.remove()
      resolve(data.challenge)
    }
    window.addEventListener('message', listen)
    document.body.append(made)
  })
  window.Stripe = key => ({
    elements: options => elementsOf(key, options),
    createConfirmationToken: ({ elements, params = {} }) =>
      elements.ask('token', { return_url: params.return_url ?? '' }),
    handleNextAction: async ({ clientSecret }) => {
      const [id] = clientSecret.split('_secret_')
      if (await challenge(id) === 'succeed') return { paymentIntent: { id } }
      return { error: { message: 'We are unable to authenticate your payment method.' } }
    },
  })
})()
`

const element_page = `<!doctype html>
<meta charset="utf-8">
<title>Payment element</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.4 system-ui }
  label { display: block; margin: .4rem 0 }
  input { display: block; width: 95%; font: inherit; padding: .5rem }
</style>
<label>Card number <input id="number" inputmode="numeric" autocomplete="cc-number"></label>
<label>Expiration date <input id="exp" autocomplete="cc-exp"></label>
<label>Security code <input id="cvc" autocomplete="cc-csc"></label>
<p id="error" role="alert"></p>
<script>
  const at = name => document.getElementById(name)
  const values = () => ['number', 'exp', 'cvc'].map(name => at(name).value.trim())
  const failed = message => {
    at('error').textContent = message
    return { error: { type: 'validation_error', message } }
  }
  const make = async ({ key, amount, currency, return_url }) => {
    const [number, exp, cvc] = values()
    const body = new URLSearchParams({
      'payment_method_data[type]': 'card',
      'payment_method_data[number]': number,
      'payment_method_data[exp]': exp,
      'payment_method_data[cvc]': cvc,
      'shown[amount]': amount,
      'shown[currency]': currency,
      return_url,
    })
    const answer = await fetch('/v1/confirmation_tokens', {
      method: 'POST', headers: { authorization: 'Bearer ' + key }, body,
    })
    const made = await answer.json()
    return answer.ok ? { confirmationToken: made } : failed(made.error.message)
  }
  addEventListener('message', async ({ data, ports: [port] }) => {
    if (!port) return
    at('error').textContent = ''
    const complete = values().every(value => value !== '')
    if (!complete) return port.postMessage(failed('Your card number is incomplete.'))
    port.postMessage(data.action === 'token' ? await make(data) : {})
  })
</script>
`
