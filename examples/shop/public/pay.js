/** The form of the payment provider in the shop's own page. The card goes to the provider only. */
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

export async function openCard(api, { totals, currency }) {
  const query = { amount_minor: totals.total_minor, currency }
  const { data } = await api.GET('/v1/payment-options', { params: { query } })
  // An option without a script, such as PayPal, is on the payment page.
  const option = data.options.find(one => one.script_url !== null)
  const stripe = await load(option)
  const elements = stripe.elements({
    mode: 'payment',
    amount: totals.total_minor,
    currency: currency.toLowerCase(),
    captureMethod: 'manual',
    paymentMethodTypes: [option.method],
  })
  return {
    mount: place => elements.create('payment').mount(place),
    /** What the buyer should know, if nothing was ordered. */
    pay: async bodyOf => {
      const { error } = await elements.submit()
      if (error) return error.message
      const made = await stripe.createConfirmationToken({ elements })
      if (made.error) return made.error.message
      // The client makes one key for all its retries, so there is one order and one payment.
      const sent = await api.POST('/v1/checkouts', {
        body: bodyOf({ provider: option.provider, payment_method: made.confirmationToken.id }),
      })
      return await follow(api, stripe, sent.data)
    },
  }
}

async function load({ script_url, publishable_key }) {
  if (!window.Stripe) {
    await new Promise((resolve, reject) => {
      const script = document.createElement('script')
      Object.assign(script, { src: script_url, onload: resolve, onerror: reject })
      document.head.append(script)
    })
  }
  return window.Stripe(publishable_key)
}

/** The bank may ask the buyer. The order says how it ended, and not the browser. */
async function follow(api, stripe, made) {
  const params = { path: { order_id: made.id } }
  let order = made
  let asked = false
  while (order.state === 'pending') {
    if (order.payment.state === 'requires_action' && !asked) {
      asked = true
      const { data: step } = await api.GET('/v1/orders/{order_id}/next-action', { params })
      if (step.client_secret) {
        const done = await stripe.handleNextAction({ clientSecret: step.client_secret })
        if (done.error) {
          await api.POST('/v1/orders/{order_id}/cancel', { params })
          return done.error.message
        }
      }
    } else await pause(400)
    order = (await api.GET('/v1/orders/{order_id}', { params })).data
  }
  return order.state === 'confirmed' ? null : 'The card was declined. Nothing was ordered.'
}
