import { Brain, Eye, FileText, type LucideIcon, Wrench } from 'lucide-react'
import { tooltip } from './tooltip.tsx'

type Capability = 'reasoning' | 'vision' | 'documents' | 'tools'

const capabilities: Record<Capability, { readonly label: string; readonly icon: LucideIcon }> = {
  reasoning: { label: 'Reasoning', icon: Brain },
  vision: { label: 'Vision', icon: Eye },
  documents: { label: 'Documents', icon: FileText },
  tools: { label: 'Tools', icon: Wrench },
}

const order: readonly Capability[] = ['reasoning', 'vision', 'documents', 'tools']

/** The capabilities of a model as small labelled icons. */
export function CapabilityBadges({ has }: { readonly has: readonly Capability[] }) {
  return order
    .filter((capability) => has.includes(capability))
    .map((capability) => {
      const { label, icon: Icon } = capabilities[capability]
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
