import { writeFileSync } from 'node:fs'
import { comparison } from './ground/comparison.ts'
import { openGround } from './lists/ground.ts'
await comparison('dbg', async bench => {
  const g = await openGround(bench)
  writeFileSync('/tmp/ground.env', `U=http://127.0.0.1:${g.program.port}\nT=${g.token}\nDB=${g.database_url}\nTENANT=${g.tenant_id}\n`)
  await new Promise(r => setTimeout(r, 1500_000))
  await g.close()
  return []
})
