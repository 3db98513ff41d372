/** The settings of this surface: name, default, unit, one sentence, bounds. */
import { faultsIn, setting } from '#dodeca/kernel'
import type { KernelOf, SettingsOf, SettingTable } from '#dodeca/kernel'

// prettier-ignore
export const settings = {
  'chat.group_members': setting.count(1024, 'members', 'Members of one group', 2, 10_000),
  'chat.conversations_max': setting.count(5000, 'conversations', 'Conversations of which one person is a member', 1, 100_000),
  'chat.conversations_per_hour': setting.count(30, 'conversations/h', 'New conversations of one person', 1),
  'chat.members_added_per_day': setting.count(1000, 'members/day', 'Members that one person adds', 1),
  'chat.body_bytes': setting.count(32 * 1024, 'bytes', 'Largest text of a message in UTF-8', 1, 64 * 1024),
  'chat.message_attachments': setting.count(10, 'attachments', 'Attachments of one message', 1, 10),
  'chat.attachment_hours': setting.count(24, 'hours', 'How long an uploaded attachment may wait to be sent', 1, 24 * 30),
  'chat.sends_per_10_seconds': setting.count(20, 'messages', 'Messages of one person to one conversation in ten seconds', 1),
  'chat.sends_per_minute': setting.count(120, 'messages/min', 'Messages of one person', 1),
  'chat.edit_hours': setting.count(24, 'hours', 'How long a message may be edited', 1, 24 * 3650),
  'chat.edits_max': setting.count(50, 'edits', 'Edits of one message', 1, 1000),
  'chat.devices': setting.count(10, 'devices', 'Devices of one person; a further one replaces the oldest', 1, 100),
  'chat.small_group': setting.count(100, 'members', 'Largest group in which typing and read receipts are shown', 2, 10_000),
  'chat.push_delay_ms': setting.count(2000, 'ms', 'Wait before an unseen message is pushed', 0, 600_000),
  'chat.push_group_seconds': setting.count(30, 's', 'Shortest time between two pushes of one group', 0, 3600),
  'chat.allowed_origins': setting.list(
    'Origins whose pages may open the socket; by default those that KERNEL_CORS_ORIGINS allows, and that of PUBLIC_URL',
  ),
  'chat.sockets_per_user': setting.count(20, 'sockets', 'Open sockets of one person in one process', 1, 10_000),
  'chat.sockets_max': setting.count(50_000, 'sockets', 'Open sockets of one process', 1, 1e6),
  'chat.handshakes_per_minute': setting.count(60, 'handshakes/min', 'Handshakes from one address', 1),
  'chat.frame_bytes': setting.count(128 * 1024, 'bytes', 'Largest frame of a client', 1024, 1 << 20),
  'chat.frames_per_second': setting.count(30, 'frames/s', 'Frames of one socket', 1, 100_000),
  'chat.frames_burst': setting.count(60, 'frames', 'Frames that a socket may send at once', 1, 100_000),
  'chat.sends_in_flight': setting.count(64, 'messages', 'Sends of one socket that wait for their acknowledgement', 1, 10_000),
  'chat.heartbeat_ms': setting.count(25_000, 'ms', 'Time between two pings', 100, 600_000),
  'chat.pong_ms': setting.count(10_000, 'ms', 'How long a socket may take to answer a ping', 50, 600_000),
  'chat.socket_hours': setting.count(24, 'hours', 'Longest life of a socket', 1, 24 * 30),
  'chat.ephemeral_bytes': setting.count(64 * 1024, 'bytes', 'Waiting bytes of a socket from which typing, presence and receipts are left out', 1024, 1 << 30),
  'chat.pause_bytes': setting.count(1024 * 1024, 'bytes', 'Waiting bytes of a socket from which messages are not sent live', 1024, 1 << 30),
  'chat.close_bytes': setting.count(4 * 1024 * 1024, 'bytes', 'Waiting bytes of a socket from which it is closed', 1024, 1 << 30),
  'chat.pause_seconds': setting.count(30, 's', 'How long a socket may be paused before it is closed', 1, 3600),
  'chat.repair_ms': setting.count(2000, 'ms', 'How often each process compares what it delivered with the database', 50, 60_000),
  'chat.presence_grace_ms': setting.count(15_000, 'ms', 'How long a person without a socket still counts as online', 0, 600_000),
} as const satisfies SettingTable

/** The kernel as this surface sees it: with the kernel's settings and its own. */
export type Kernel = KernelOf<typeof settings>

/** Refuses combinations of settings that cannot work. */
export function settingFaults(given: SettingsOf<typeof settings>): readonly string[] {
  return faultsIn([
    [
      given['chat.ephemeral_bytes'] > given['chat.pause_bytes'] ||
        given['chat.pause_bytes'] > given['chat.close_bytes'],
      'CHAT_EPHEMERAL_BYTES, CHAT_PAUSE_BYTES and CHAT_CLOSE_BYTES must rise in this order, because a slow socket first loses what does not matter later, then pauses, and is closed last.',
    ],
  ])
}
