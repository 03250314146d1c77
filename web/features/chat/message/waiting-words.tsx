import { Clock } from 'lucide-react'
import { libText } from '../../../lib/texts/en.ts'
import { tooltip } from '../../../ui/tooltip.tsx'

export const WaitingWords = () => (
  <span className="flex items-center gap-1.5" {...tooltip(libText('waitingDescription'))}>
    <Clock className="size-3.5 shrink-0" aria-hidden="true" />
    {libText('waitingForConnection')}
  </span>
)
