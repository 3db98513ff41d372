/** A DNS server on loopback that answers TXT questions with what a test lays down. */
import dns2 from 'dns2'

export type TxtServer = {
  /** `address:port`, as LINKS_DNS_SERVERS takes it. */
  readonly address: string
  /** Records of a name from now on; `broken` answers SERVFAIL. */
  lay(name: string, records: readonly string[] | 'broken'): void
  close(): Promise<void>
}

export async function openTxtServer(): Promise<TxtServer> {
  const laid = new Map<string, readonly string[] | 'broken'>()
  const server = dns2.createServer({
    udp: true,
    handle: (request, send) => {
      const response = dns2.Packet.createResponseFromRequest(request)
      const [question] = request.questions
      const name = question?.name.toLowerCase() ?? ''
      const records = laid.get(name)
      if (records === undefined) response.header.rcode = dns2.Packet.RCODE.NXDOMAIN
      else if (records === 'broken') response.header.rcode = dns2.Packet.RCODE.SERVFAIL
      else {
        for (const data of records) {
          const { TYPE, CLASS } = dns2.Packet
          const answer = { name, type: TYPE.TXT, class: CLASS.IN, ttl: 3600, data }
          response.answers.push(answer as unknown as (typeof response.answers)[number]) // a plain answer is encoded too
        }
      }
      void send(response)
    },
  })
  const addresses = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  return {
    address: `127.0.0.1:${addresses.udp?.port}`,
    lay: (name, records) => void laid.set(name, records),
    close: async () => {
      await server.close()
    },
  }
}
