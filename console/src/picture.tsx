/** A picture from bytes. */
import { useEffect, useState } from 'preact/hooks'

export function Picture({ blob, label }: { readonly blob: Blob; readonly label: string }) {
  const [url, set] = useState('')
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    set(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url === '' ? null : <img class="picture" src={url} alt={label} />
}
