import { useState } from 'react'
import { type Company, companyNames, signInWith } from '../../lib/sign-in.ts'
import { Button } from '../../ui/button.tsx'

type CompanyButtonsProps = { readonly companies: readonly Company[]; readonly callbackUrl: string }

/** Each button redirects to the provider. */
export function CompanyButtons({ companies, callbackUrl }: CompanyButtonsProps) {
  const [pending, setPending] = useState<Company | null>(null)
  const [problem, setProblem] = useState<string>()
  const leave = async (company: Company) => {
    setPending(company)
    setProblem(undefined)
    const answer = await signInWith(company, callbackUrl)
    if (answer.ok) return
    setProblem(answer.message)
    setPending(null)
  }
  return (
    <div className="flex flex-col gap-2">
      {companies.map((company) => (
        <Button key={company} size="lg" pending={pending === company} onClick={() => void leave(company)}>
          Continue with {companyNames[company]}
        </Button>
      ))}
      {problem && (
        <p role="alert" className="text-xs text-danger text-pretty">
          {problem}
        </p>
      )}
    </div>
  )
}
