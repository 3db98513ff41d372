/** A page of an application: it logs in, and lists and creates leads. */
// oxlint-disable-next-line import/no-absolute-path -- an address of the platform that serves this page
import { login } from '/client/v1/client.js'

/** What a person reads: the message of an error is for developers. */
const sentences = {
  invalid_credentials: 'The mail address or the password is wrong.',
  lead_exists: 'There is a lead with this title.',
  connection_failed: 'There is no connection. Try again later.',
}
const at = id => document.getElementById(id)
let api

async function show() {
  const items = []
  for await (const { title } of api.all('/v1/leads')) {
    const item = document.createElement('li')
    item.textContent = title
    items.push(item)
  }
  at('leads').replaceChildren(...items)
}

function onSubmit(form, act) {
  form.addEventListener('submit', async event => {
    event.preventDefault()
    try {
      await act(Object.fromEntries(new FormData(form)))
      at('state').textContent = ''
    } catch (error) {
      at('state').textContent = sentences[error.code] ?? 'That did not work.'
      if (!sentences[error.code]) throw error
    }
  })
}

onSubmit(at('who'), async ({ email, password }) => {
  api = await login({ base_url: location.origin, email, password })
  at('who').hidden = true
  at('new').hidden = false
  await show()
})

onSubmit(at('new'), async ({ title }) => {
  await api.POST('/v1/leads', { body: { title, amount_minor: 100 } })
  await show()
})
