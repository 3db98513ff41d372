/**
 * Social: pages of feeds beside their own statement in pgbench and beside Bluesky's statements on the same
 * rows, fan-out beside a plain insert, likes on one post and on many, and one post beside a bare server.
 */
import { comparison } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'
import { fanOut } from './social/fan-out.ts'
import { feeds } from './social/feeds.ts'
import { openGround } from './social/ground.ts'
import { likes } from './social/likes.ts'
import { onePost } from './social/one-post.ts'

await comparison('social', async bench => {
  const ground = await openGround(bench)
  const parts = {
    // First, because it asks over a connection that is closed when it rests.
    post: () => onePost(bench, ground),
    feeds: () => feeds(bench, ground),
    likes: () => likes(bench, ground),
    fanout: () => fanOut(bench, ground),
  }
  const { only } = bench.options
  try {
    const sections: Section[] = []
    for (const [name, measure] of Object.entries(parts)) {
      if (only === null || only === name) sections.push(await measure())
    }
    return sections
  } finally {
    await ground.close()
  }
})
