import { agencyOf, book, expectOk, openAgency, pay, see } from './agency-world.ts'
import { sql, Type } from 'dodeca'
const world = await openAgency()
try {
  const { customer, service } = await agencyOf(world)
  const { id } = await expectOk(book(world.call, customer, service))
  await expectOk(pay(world.call, customer, id))
  for (let n = 0; n < 40; n++) {
    await new Promise(r => setTimeout(r, 250))
    if ((await see(world, customer, id)).body.state === 'paid') break
  }
  console.log((await see(world, customer, id)).text)
  console.log((await world.call('GET', `/v1/bookings/${id}/payment`, customer)).text)
  const A = Type.Object({ x: Type.Unknown() })
  console.log(JSON.stringify(await world.db.many(A, sql`select to_jsonb(t) as x from jobs.jobs t where id = ${id}`)))
  console.log(JSON.stringify(await world.db.many(A, sql`select to_jsonb(t) as x from jobs.job_steps t where job_id = ${id}`)))
  console.log(JSON.stringify(await world.db.many(A, sql`select jsonb_build_array(type, aggregate_id, payload) as x from kernel.events t where tenant_id = ${customer.tenant.id} order by position`)))
} finally { await world.close() }
