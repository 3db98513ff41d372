/** Upload documents, ask a question, and see the sentences that answer it, with their source. */
import { createClient, login, Problem, UploadFailed } from '@dodeca/client'

const base_url = new URLSearchParams(location.search).get('api') ?? 'http://localhost:8080'
const at = id => document.getElementById(id)
const say = text => (at('state').textContent = text)

let api
let collection_id

async function attempt(act) {
  try {
    await act()
  } catch (error) {
    if (error instanceof UploadFailed) say(`The file was refused: ${error.code}`)
    else if (error instanceof Problem) say(`${error.message} (${error.code})`)
    else throw error
  }
}

async function start({ email, password }) {
  await createClient({ base_url }).POST('/v1/accounts', { body: { email, password } })
  api = await login({ base_url, email, password })
  const { data: mine } = await api.GET('/v1/collections')
  const found = mine.data.find(one => one.name === 'My documents')
  const made = found ?? (await api.POST('/v1/collections', { body: { name: 'My documents' } })).data
  collection_id = made.id
  at('who').hidden = true
  at('library').hidden = false
  say(`Welcome, ${email}.`)
}

/** The file is sent in parts, scanned, and then read: each stage can be seen. */
async function add(file) {
  const stored = await api.uploads.put(file, {
    purpose: 'document_ingest',
    media_category: /\.(md|txt)$/.test(file.name) ? 'text' : 'document',
    onProgress: ({ state, sent_bytes, total_bytes }) =>
      say(`${state} ${Math.round((100 * sent_bytes) / total_bytes)} %`),
  })
  const params = { path: { collection_id } }
  const body = { title: file.name, file_id: stored.id }
  const { data } = await api.POST('/v1/collections/{collection_id}/documents', { params, body })
  for (;;) {
    const of = { params: { path: { job_id: data.job_id } } }
    const { data: job } = await api.GET('/v1/ingestion-jobs/{job_id}', of)
    say(`Reading ${file.name}: ${job.state}`)
    if (job.completed_at) {
      if (job.state !== 'succeeded') return say(`It cannot be read: ${job.error_code}`)
      break
    }
    await new Promise(resolve => setTimeout(resolve, 300))
  }
  const line = document.createElement('li')
  line.textContent = file.name
  at('documents').append(line)
  say(`${file.name} can be asked now.`)
}

async function ask(query) {
  say('Searching …')
  const { data } = await api.POST('/v1/answers', {
    body: { collection_ids: [collection_id], query },
  })
  at('answer').replaceChildren()
  // Nothing is invented: without evidence there is no text.
  if (data.outcome === 'insufficient_evidence') return say('Your documents do not say.')
  for (const { quote, title } of data.citations) {
    const source = document.createElement('p')
    source.textContent = title
    const said = document.createElement('blockquote')
    said.textContent = quote
    at('answer').append(said, source)
  }
  say('Every sentence is a quote.')
}

at('who').onsubmit = event => {
  event.preventDefault()
  void attempt(() => start(Object.fromEntries(new FormData(event.target))))
}
at('add').onsubmit = event => {
  event.preventDefault()
  void attempt(() => add(new FormData(event.target).get('file')))
}
at('ask').onsubmit = event => {
  event.preventDefault()
  void attempt(() => ask(new FormData(event.target).get('query')))
}
