/**
 * Chat: deliveries to one room of 500 sockets beside bare ws and socket.io, which store nothing, and beside
 * socket.io with an INSERT for each message; small rooms and pairs beside the latter; durable sends beside the same append in pgbench; the memory of
 * idle sockets.
 */
import { crowdsOfFive, crowdsOfTwo } from './chat/crowds.ts'
import { openGround } from './chat/ground.ts'
import { idle } from './chat/idle.ts'
import { room } from './chat/room.ts'
import { sends } from './chat/sends.ts'
import { comparison } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'

const parts = { room, rooms: crowdsOfFive, pairs: crowdsOfTwo, sends, idle }

await comparison('chat', async bench => {
  const { only } = bench.options
  const sections: Section[] = []
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== null && only !== name) continue
    // Each part has its own, so that it measures the same alone and after others.
    const ground = await openGround(bench)
    try {
      sections.push(await measure(bench, ground))
    } finally {
      await ground.close()
    }
  }
  return sections
})
