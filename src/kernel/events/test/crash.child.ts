/** One process of a crash test: `node crash.child.ts <url> <faults>`; its consumer writes a row an event. */
import { sql } from '../../database/sql.ts'
import { openWorld } from './process.ts'

const [url, faults] = process.argv.slice(2)
if (!url) throw new Error('a database address is needed')
const world = openWorld({
  url,
  ...(faults ? { faults } : {}),
  consumers: [
    {
      name: 'effect',
      events: ['thing.changed'],
      run: async (tx, event) => {
        await tx.run(sql`
          insert into public.effect (event_id, aggregate_id, version)
          values (${event.id}, ${event.aggregate_id}, ${event.aggregate_version})`)
      },
    },
  ],
})
await world.events.start()
process.stdout.write('started\n')
