/** A name server on loopback: each look-up of a name takes its next set of addresses; the last one stays. */
import dns2 from 'dns2'
import { isIP } from 'node:net'

export type Names = {
  readonly address: string
  lay(name: string, ...sets: readonly (readonly string[])[]): void
  asked(name: string): number
  close(): Promise<void>
}

export async function openNames(): Promise<Names> {
  const laid = new Map<string, readonly (readonly string[])[]>()
  const asked = new Map<string, number>()
  const { Packet } = dns2
  const server = dns2.createServer({
    udp: true,
    handle: (request, send) => {
      const response = Packet.createResponseFromRequest(request)
      const [question] = request.questions
      const name = question?.name.toLowerCase() ?? ''
      const type = (question as { type?: number } | undefined)?.type
      const sets = laid.get(name)
      const turn = Math.max(0, (asked.get(name) ?? 0) - (type === Packet.TYPE.A ? 0 : 1))
      if (type === Packet.TYPE.A) asked.set(name, turn + 1)
      for (const address of sets?.at(Math.min(turn, sets.length - 1)) ?? []) {
        const family = isIP(address) === 4 ? Packet.TYPE.A : Packet.TYPE.AAAA
        if (family !== type) continue
        const record = { name, type: family, class: Packet.CLASS.IN, ttl: 0, address }
        response.answers.push(Object.assign(new Packet.Resource(name, family), record))
      }
      if (!sets) response.header.rcode = 3
      void send(response)
    },
  })
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  const port = (udp as { port: number } | undefined)?.port
  return {
    address: `127.0.0.1:${port}`,
    lay: (name, ...sets) => {
      laid.set(name, sets)
      asked.delete(name)
    },
    asked: name => asked.get(name) ?? 0,
    close: async () => {
      await server.close()
    },
  }
}
