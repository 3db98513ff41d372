/** `<dodeca-chat conversation="...">`: reads and writes one conversation. */
import { DodecaElement } from '../base-element.ts'
import type { Connected } from '../connection.ts'
import type { Words } from '../words.ts'
import { ChatView } from './chat-view.tsx'
import { Room } from './room.ts'

export class ChatElement extends DodecaElement {
  static readonly observedAttributes = ['conversation', 'lang']

  protected readonly needs = 'conversation'

  /** What a member is called. Without it, the name of the profile is shown. */
  declare nameOf?: (user_id: string) => string | undefined | Promise<string | undefined>

  protected begin(connected: Connected, words: Words): () => void {
    const id = this.getAttribute('conversation') ?? ''
    let [is_due, has_ended] = [false, false]
    const draw = () => {
      is_due = false
      if (!has_ended) this.draw(<ChatView key={id} room={room} words={words} />)
    }
    const room: Room = new Room({
      ...connected,
      id,
      // Once for all changes of a turn.
      changed: () => {
        if (!is_due) queueMicrotask(draw)
        is_due = true
      },
      tell: (name, detail) => this.tell(name, detail),
      nameOf: async user_id => {
        if (this.nameOf) return await this.nameOf(user_id)
        const params = { path: { user_id } }
        const { data } = await connected.client.GET('/v1/users/{user_id}', { params })
        return data.display_name || data.handle
      },
    })
    draw()
    return () => {
      has_ended = true
      room.close()
    }
  }
}
