/**
 * The worker thread that computes vectors of `use-512@1`: one text in each message, one message in
 * each reply.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import * as core from '@energetic-ai/core'
import * as embeddings from '@energetic-ai/embeddings'
import { checkWeights } from './use-weights.ts'

type Model = { readonly model: unknown; readonly vocabulary: unknown }
// The types of these packages come from another package, which they bundle and do not install.
const { loadGraphModel } = core as unknown as { loadGraphModel(url: string): Promise<unknown> }
const { initModel } = embeddings as unknown as {
  initModel(
    source: () => Promise<Model>,
  ): Promise<{ embed(texts: readonly string[]): Promise<number[][]> }>
}

const { folder } = workerData as { readonly folder: string }

await checkWeights(folder)
const model = await initModel(async () => {
  const vocabulary = await readFile(join(folder, 'vocab.json'), 'utf8')
  return {
    model: await loadGraphModel(`file://${folder}/model.json`),
    vocabulary: JSON.parse(vocabulary) as unknown,
  }
})
parentPort?.on('message', (text: string) => {
  void model.embed([text]).then(([numbers]) => {
    const vector = Float32Array.from(numbers ?? [])
    parentPort?.postMessage(vector, [vector.buffer])
  })
})
parentPort?.postMessage('ready', [])
