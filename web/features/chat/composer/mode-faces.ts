/** Icon and name of each mode. */
import { Globe, MessageSquare, Telescope } from 'lucide-react'

export const modeFaces = {
  chat: { name: 'Chat', Icon: MessageSquare },
  search: { name: 'Search', Icon: Globe },
  research: { name: 'Research', Icon: Telescope },
} as const
