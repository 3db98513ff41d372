/** The router in front of several cells, as a process of its own. */
import { once } from 'node:events'
import { StartError } from '#dodeca/kernel'
import { openRouter } from '../runtime/cells/router.ts'
import type { Command } from './command.ts'

const port_usual = '8080'

export const routerCommand: Command = {
  words: 'router',
  summary: 'Send each request to the cell of its tenant',
  options: {
    cells: {
      type: 'string',
      value: '<url>,<url>',
      says: 'The addresses of the cells; new tenants are created in the first one',
    },
    port: { type: 'string', value: '<port>', says: `Where it listens (${port_usual})` },
    host: { type: 'string', value: '<host>', says: 'Where it listens (127.0.0.1)' },
  },
  more: [
    'All cells have the same PUBLIC_URL, which leads here, and list the router in ' +
      'KERNEL_TRUSTED_PROXIES. Any number of routers run side by side.',
  ],
  run: async call => {
    const cells = cellsOf(call.option('cells') ?? '')
    const port = portOf(call.option('port') ?? port_usual)
    const router = await openRouter({ cells, host: call.option('host') ?? '127.0.0.1', port })
    call.terminal.answer({ port: router.port, cells }, [
      `The router listens on port ${router.port}. Its cells: ${cells.join(', ')}.`,
    ])
    await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
    await router.close()
  },
}

function cellsOf(given: string): string[] {
  const cells = given.split(',').filter(Boolean)
  if (cells.length === 0) {
    throw new StartError(
      '--cells names the addresses of the cells, such as http://10.0.0.5:8080,http://10.0.1.5:8080.',
    )
  }
  const wrong = cells.find(one => !/^http:\/\/[^/]+$/.test(one))
  if (wrong === undefined) return cells
  throw new StartError(
    `${wrong} is no address of a cell. It is http:// with host and port and without a path: ` +
      'TLS ends at the proxy in front of the router.',
  )
}

function portOf(given: string): number {
  const port = Number(given)
  if (/^\d{1,5}$/.test(given) && port < 65_536) return port
  throw new StartError(`--port is a number from 0 to 65535, not ${given}.`)
}
