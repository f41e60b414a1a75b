import type { Static } from 'typebox';
import type { ConditionStatus } from '../kubernetes.ts';
import { list, object, oneOf, str, stringMap, strings, time } from './build.ts';

export const LocalObjectReferenceSchema = object('A reference to an object of the same namespace.', {
  name: str('Name of the object.'),
});
export type LocalObjectReference = Static<typeof LocalObjectReferenceSchema>;

export const LabelSelectorRequirementSchema = object(
  'A label key, an operator, and the values it is compared with.',
  { values: strings('Values for In and NotIn; must be empty for Exists and DoesNotExist.') },
  {
    key: str('Label key the requirement is about.'),
    operator: str('Relation of the key to the values: In, NotIn, Exists or DoesNotExist.'),
  },
);

export const LabelSelectorSchema = object('Selects objects by their labels; all parts must match.', {
  matchExpressions: list('Requirements that all must hold.', LabelSelectorRequirementSchema),
  matchLabels: stringMap('Labels the object must have with these values.'),
});
export type LabelSelector = Static<typeof LabelSelectorSchema>;

const conditionStatus = oneOf<ConditionStatus>('Whether the condition holds.', ['True', 'False', 'Unknown']);

/** A condition whose `type` the caller leaves open. */
export const ConditionSchema = object(
  'One aspect of the state of the object, as last observed.',
  {
    lastProbeTime: time('When the condition was last checked; null if that is not recorded.'),
    lastTransitionTime: time('When the condition last changed from one status to another.'),
    reason: str('One word, in CamelCase, that tells why the condition last changed.'),
    message: str('The same for a human reader.'),
  },
  { type: str('What the condition is about.'), status: conditionStatus },
);

/** metadata of an object that is a template for others: every field a user may set there, nothing else. */
export const TemplateMetadataSchema = object('Labels and annotations given to each object made from the template.', {
  name: str('Ignored; accepted because exported manifests carry it.'),
  namespace: str('Ignored; accepted because exported manifests carry it.'),
  creationTimestamp: time('Ignored; accepted because exported manifests carry it.'),
  labels: stringMap('Labels of the object made from the template.'),
  annotations: stringMap('Annotations of the object made from the template.'),
});
export type TemplateMetadata = Static<typeof TemplateMetadataSchema>;
