/** In the page, as the person that is logged in there: links whose titles are attacks. */
export async function makeHostile([wanted, texts]: readonly [
  number,
  readonly string[],
]): Promise<number> {
  const current = (await (await fetch('/v1/sessions/current')).json()) as { csrf_token: string }
  const linksFrom = (first: number) =>
    Array.from({ length: 100 }, (_, at) => ({
      destination_url: `https://example.com/hostile/${first + at}`,
      title: `${texts[at % texts.length] ?? ''} ${first + at}`.slice(0, 200),
    }))
  let made = 0
  while (made < wanted) {
    const links = linksFrom(made)
    const answer = await fetch('/v1/links/batches', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-csrf-token': current.csrf_token,
        'idempotency-key': crypto.randomUUID(),
      },
      body: JSON.stringify({ links }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    made += 100
  }
  return made
}
