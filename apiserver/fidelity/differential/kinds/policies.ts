/** Policies and quotas of namespaces. */
import { kindOf, type ComparedKind } from './compared-kind.ts';
import { SELECTOR } from './pod-parts.ts';

export const POLICIES: readonly ComparedKind[] = [
  kindOf('ingresses', 'networking.k8s.io/v1', 'Ingress', {
    family: 'policy',
    base: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    fragments: [
      { spec: { ingressClassName: 'c' } },
      { spec: { defaultBackend: null } },
      { spec: { rules: [{ host: 'a.example.com' }] } },
    ],
    statuses: [{ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }],
  }),
  kindOf('networkpolicies', 'networking.k8s.io/v1', 'NetworkPolicy', {
    family: 'policy',
    base: { spec: { podSelector: {} } },
    fragments: [
      { spec: { policyTypes: ['Egress'] } },
      { spec: { ingress: [{}] } },
      { spec: { policyTypes: ['Wrong'] } },
    ],
  }),
  kindOf('roles', 'rbac.authorization.k8s.io/v1', 'Role', {
    family: 'policy',
    base: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    fragments: [{ rules: [] }, { rules: null }, { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }],
  }),
  kindOf('rolebindings', 'rbac.authorization.k8s.io/v1', 'RoleBinding', {
    family: 'policy',
    base: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'default' }],
    },
    fragments: [
      { subjects: [{ kind: 'User', name: 'u' }] },
      { roleRef: { name: 'other' } },
      { subjects: [{ kind: 'Wrong', name: 'u' }] },
      { subjects: null },
    ],
  }),
  kindOf('poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget', {
    family: 'policy',
    base: { spec: { minAvailable: 1, selector: SELECTOR } },
    fragments: [{ spec: { minAvailable: '50%' } }, { spec: { maxUnavailable: 1 } }, { spec: { minAvailable: -1 } }],
    statuses: [
      {
        status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 },
      },
    ],
  }),
  kindOf('horizontalpodautoscalers', 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    family: 'policy',
    base: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 } },
    fragments: [{ spec: { minReplicas: 2 } }, { spec: { maxReplicas: 0 } }],
    statuses: [{ status: { currentReplicas: 1, desiredReplicas: 2 } }],
  }),
  kindOf('resourcequotas', 'v1', 'ResourceQuota', {
    family: 'policy',
    base: { spec: { hard: { 'count/widgets.example.com': '5' } } },
    fragments: [
      { spec: { hard: { 'count/others.example.com': '1k' } } },
      { spec: { hard: { 'count/x.example.com': '-1' } } },
    ],
    statuses: [{ status: { hard: { 'count/widgets.example.com': '5' } } }],
  }),
];
