/** The worker thread that computes vectors of `use-512@1`: one text a message, one message an answer. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import * as core from '@energetic-ai/core'
import { initModel, type EmbeddingsModelData } from '@energetic-ai/embeddings'
import { checkWeights } from './use-weights.ts'

// Its types are those of a package that it bundles and does not install.
const { loadGraphModel } = core as unknown as {
  loadGraphModel(url: string): Promise<EmbeddingsModelData['model']>
}
const { folder } = workerData as { readonly folder: string }

await checkWeights(folder)
const model = await initModel(async () => {
  const [graph, vocabulary] = await Promise.all([
    loadGraphModel(`file://${folder}/model.json`),
    readFile(join(folder, 'vocab.json'), 'utf8'),
  ])
  return {
    model: graph,
    vocabulary: JSON.parse(vocabulary) as EmbeddingsModelData['vocabulary'],
  }
})
parentPort?.on('message', (text: string) => {
  void model
    .embed([text])
    .then(([vector]) => parentPort?.postMessage(Float32Array.from(vector ?? [])))
})
parentPort?.postMessage('ready')
