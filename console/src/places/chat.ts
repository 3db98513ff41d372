/** The place of chat: rooms and devices. */
import { Room } from '../panels/room.tsx'
import { resource, type Place } from '../resource.ts'

export const chat: Place = {
  name: 'chat',
  title: { en: 'Chat', de: 'Chat' },
  resources: [
    resource({
      name: 'conversations',
      title: { en: 'My rooms', de: 'Meine Räume' },
      list: 'listConversations',
      read: 'getConversation',
      create: 'createConversation',
      columns: [
        'title',
        'type',
        'state',
        'member_count',
        'latest_sequence',
        'last_message_at',
        'id',
      ],
      events: ['conversation.'],
      panel: Room,
      actions: [
        'addConversationMembers',
        'changeConversation',
        'changeOwnMembership',
        { by: 'removeConversationMember', hurts: true },
      ],
      related: [
        {
          title: { en: 'Members', de: 'Mitglieder' },
          list: 'listConversationMembers',
          columns: ['user_id', 'role', 'last_read_sequence'],
        },
      ],
    }),
    resource({
      name: 'devices',
      title: { en: 'My devices', de: 'Meine Geräte' },
      list: 'listDevices',
      columns: ['platform', 'last_seen_at', 'created_at', 'id'],
      actions: [{ by: 'removeDevice', hurts: true }],
    }),
  ],
}
