/** A program for a pool: it does what its task says, and replies with its own id. */
process.on('message', ({ act }: { act: string }) => {
  if (act === 'hang') for (;;);
  if (act === 'exit') process.exit(0)
  if (act === 'grow') {
    const kept: Buffer[] = []
    setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5)
    return
  }
  const { pid, env } = process
  process.send?.(act === 'fail' ? { failed: act, pid } : { pid, secret: env['A_SECRET'] ?? null })
})
