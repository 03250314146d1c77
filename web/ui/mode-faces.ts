/** How each way to answer is drawn and called, wherever one is chosen or told. */
import { Globe, MessageSquare, Telescope } from 'lucide-react'

export const modeFaces = {
  chat: { name: 'Chat', Icon: MessageSquare },
  search: { name: 'Search', Icon: Globe },
  research: { name: 'Research', Icon: Telescope },
} as const
