import { Brain, Eye, FileText, type LucideIcon, Wrench } from 'lucide-react'
import { t } from './texts/en.ts'
import { tooltip } from './tooltip.tsx'

type Capability = 'reasoning' | 'vision' | 'documents' | 'tools'

const icons: Record<Capability, LucideIcon> = {
  reasoning: Brain,
  vision: Eye,
  documents: FileText,
  tools: Wrench,
}

const order: readonly Capability[] = ['reasoning', 'vision', 'documents', 'tools']

const inOrder = (has: readonly Capability[]) => order.filter((capability) => has.includes(capability))

type CapabilitiesProps = { readonly has: readonly Capability[] }

/** The capabilities of a model as plain icons. */
export const CapabilityIcons = ({ has }: CapabilitiesProps) =>
  inOrder(has).map((capability) => {
    const Icon = icons[capability]
    return <Icon key={capability} role="img" aria-label={t(capability)} className="size-3.5" />
  })

/** The capabilities of a model as small labelled icons. */
export function CapabilityBadges({ has }: CapabilitiesProps) {
  return inOrder(has).map((capability) => {
    const Icon = icons[capability]
    const label = t(capability)
    return (
      <span
        key={capability}
        {...tooltip(label)}
        className="inline-flex size-5 items-center justify-center rounded-sm bg-foreground/6 text-muted-foreground"
      >
        <Icon role="img" aria-label={label} className="size-3" />
      </span>
    )
  })
}
